// Plain sentences about moves and values.

/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./api.js").Legal} Legal */
/** @typedef {import("./api.js").View} View */

/** @param {Side} side */
export function title(side) {
  return side === "south" ? "South" : "North";
}

/** @param {Side} side @returns {Side} */
export function other(side) {
  return side === "south" ? "north" : "south";
}

/** A number with its sign. @param {number} value */
export function signed(value) {
  if (value === 0) return "0";
  return value > 0 ? `+${value}` : `\u2212${-value}`;
}

/** A number that nobody has proven. @param {number} value */
export function guess(value) {
  return `\u2248 ${signed(value)}`;
}

/** @param {number} number @param {string} noun */
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} value */
export function outcome(value) {
  if (value === 0) return "draws";
  return value > 0 ? `wins by ${value}` : `loses by ${-value}`;
}

/** @param {number} value @returns {"win" | "draw" | "loss"} */
export function tone(value) {
  if (value === 0) return "draw";
  return value > 0 ? "win" : "loss";
}

/** A move at the start of a sentence. @param {string} move */
export function name(move) {
  return move === "x" ? "Swapping sides" : `House ${move}`;
}

/** @param {string[]} moves */
export function turn(moves) {
  return moves.map((move) => (move === "x" ? "swap" : move)).join(" then ");
}

/** @param {number} low @param {number} high */
export function range(low, high) {
  return low === high ? signed(low) : `${signed(low)} to ${signed(high)}`;
}

/** Where the last seed goes. @param {Legal} legal @param {Side} mover */
export function landing(legal, mover) {
  const { lands } = legal;
  if (!lands) return "swaps sides";
  const whose = lands.side === mover ? "" : `${title(lands.side)}\u2019s `;
  let text = lands.house === null ? "last seed in the store" : `last seed in ${whose}house ${lands.house}`;
  if (legal.captures > 0) text += `, captures ${legal.captures}`;
  if (legal.finishes) return `${text}, ends the game`;
  return legal.again ? `${text}, moves again` : text;
}

/** @param {View} view */
export function standing(view) {
  if (view.result) {
    const { winner, margin } = view.result;
    const result = winner ? `${title(winner)} wins by ${Math.abs(margin)}.` : "The game is a draw.";
    return view.endless ? `${result} The position has come up for the third time.` : result;
  }
  return view.to_move ? `${title(view.to_move)} to move.` : "The game is over.";
}

/** The board for those who do not see it. @param {View} view @returns {string[]} */
export function board(view) {
  const rows = /** @type {Side[]} */ (["north", "south"]).map((side) => {
    const { houses, store } = view.board[side];
    return `${title(side)}: houses 1 to ${houses.length} hold ${houses.join(", ")}; store ${store}.`;
  });
  return [...rows, standing(view)];
}

/** @param {number} number */
export function short(number) {
  const [divisor, unit] = number >= 1e9 ? [1e9, " G"] : number >= 1e6 ? [1e6, " M"] : number >= 1e4 ? [1e3, " k"] : [1, ""];
  return `${divisor === 1 ? number : (number / divisor).toFixed(1)}${unit}`;
}

/** @param {string} name as in `human` or `level:3` */
export function player(name) {
  return name === "human" ? "you" : name.replace(":", " ");
}
