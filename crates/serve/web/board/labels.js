// The words that a board needs.

/** @import { Side } from "./board.js" */

/** @param {Side} side */
export function title(side) {
  return side === "south" ? "South" : "North";
}

/** @param {number} number @param {string} noun */
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
