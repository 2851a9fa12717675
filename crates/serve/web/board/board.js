// The board as a package: everything that its users may import. Types are in board.d.ts.

export { key, pits } from "./pits.js";
export { Board } from "./widget.js";
