// Plain sentences about moves and values.

/** @import { Legal, Motion, Played, Side, View } from "./types.js" */

import { count, title } from "./board/labels.js";

export { count, title };

/** @param {Side} side @returns {Side} */
export function other(side) {
  return side === "south" ? "north" : "south";
}

/** A number with its sign. @param {number} value */
export function signed(value) {
  if (value === 0) return "0";
  return value > 0 ? `+${value}` : `\u2212${-value}`;
}

/** A number that is not proven. @param {number} value */
export function guess(value) {
  return `\u2248 ${signed(value)}`;
}

/** The result for the side that moves. @param {number} value */
export function outcome(value) {
  if (value === 0) return "draws";
  return value > 0 ? `wins by ${value}` : `loses by ${-value}`;
}

/** The winner with perfect play. @param {number} value the mover's @param {Side} mover */
export function verdict(value, mover) {
  if (value === 0) return "A draw with perfect play.";
  return `${title(value > 0 ? mover : other(mover))} wins by ${Math.abs(value)} with perfect play.`;
}

/** @param {number} value @returns {"win" | "draw" | "loss"} */
export function tone(value) {
  if (value === 0) return "draw";
  return value > 0 ? "win" : "loss";
}

/** A move at the start of a sentence. @param {string} move */
export function name(move) {
  return move === "swap" ? "Swapping sides" : `House ${move}`;
}

/** @param {string[]} moves */
export function turn(moves) {
  return moves.join(", then ");
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

/** A move in a sentence. @param {Played} played @param {Motion[] | null} motions */
export function narration({ side, move, captured, again }, motions) {
  if (move === "swap") return `${title(side)} swapped sides.`;
  const pickups = (motions ?? []).filter(({ kind }) => kind === "pickup");
  const parts = [`${title(side)} sowed house ${move}`];
  if (pickups.length > 1) parts.push(`picked up ${count(pickups.length - 1, "more house")}`);
  if (captured > 0) parts.push(`captured ${captured}`);
  if (again) parts.push("moves again");
  return `${parts.join(", ")}.`;
}

/** The last move in a sentence. @param {View} view */
export function narrated({ last, motions }) {
  return last ? narration(last, motions ?? null) : "";
}

/** How the game stands. @param {View} view */
export function standing(view) {
  const { result } = view;
  if (!result) return view.to_move ? `${title(view.to_move)} to move.` : "The game is over.";
  const { winner, margin, seeds } = result;
  const score = `${seeds.south} to ${seeds.north}`;
  const said = winner
    ? `${title(winner)} wins by ${Math.abs(margin)}, ${winner === "south" ? score : `${seeds.north} to ${seeds.south}`}.`
    : `A draw, ${score}.`;
  return [said, rest(view)].filter(Boolean).join(" ");
}

/** The last move and the side to move, or the result. @param {View} view */
export function summary(view) {
  return [narrated(view), standing(view)].filter(Boolean).join(" ");
}

/** The fate of the seeds left in the rows. @param {View} view */
function rest({ result, endless }) {
  if (!result) return "";
  const { left, left_is_lost } = result;
  if (endless) return "The position has come up for the third time: what is in the houses counts for nobody.";
  const sides = /** @type {Side[]} */ (["south", "north"]).filter((side) => left[side] > 0);
  return sides
    .map(
      (side) =>
        `The ${count(left[side], "seed")} left in ${title(side)}\u2019s row ${left_is_lost ? "count for nobody" : `${left[side] === 1 ? "is" : "are"} ${title(side)}\u2019s`}.`,
    )
    .join(" ");
}

/** The seeds to show: after the end, those left in a row are in its owner's store, unless they count for nobody.
 * @param {View} view @returns {View["board"]} */
export function swept({ board, result }) {
  if (!result || result.left_is_lost) return board;
  const row = (/** @type {Side} */ side) => ({ houses: board[side].houses.map(() => 0), store: result.seeds[side] });
  return { south: row("south"), north: row("north") };
}

/** The board for screen readers. @param {View} view @returns {string[]} */
export function board(view) {
  const rows = /** @type {Side[]} */ (["north", "south"]).map((side) => {
    const { houses, store } = view.board[side];
    return `${title(side)}: houses 1 to ${houses.length} hold ${houses.join(", ")}; store ${store}.`;
  });
  return [...rows, standing(view)];
}

/** @param {number} number */
export function short(number) {
  const [divisor, unit] =
    number >= 1e9
      ? [1e9, " billion"]
      : number >= 1e6
        ? [1e6, " million"]
        : number >= 1e4
          ? [1e3, " thousand"]
          : [1, ""];
  return `${divisor === 1 ? number : (number / divisor).toFixed(1)}${unit}`;
}

/** @param {string} name as in `human` or `level:3` */
export function player(name) {
  const [kind, number] = name.split(":");
  const names = {
    human: "you",
    random: "plays at random",
    level: `computer, level ${number}`,
    pdp: "the PDP-1\u2019s machine",
    perfect: "perfect player",
  };
  return kind in names ? names[/** @type {keyof typeof names} */ (kind)] : name;
}

const GAMES = { kalah: "Kalah", "s-kalaha": "S-Kalaha" };

/** A game as a player would say it. @param {string} name as in `kalah(6,4)` */
export function game(name) {
  const match = /^([a-z-]+)\((\d+),(\d+)((?:,[a-z-]+)*)\)$/.exec(name);
  if (!match) return name;
  const [, kind, houses, seeds, options] = match;
  const words = options
    .split(",")
    .filter(Boolean)
    .map((word) => word.replaceAll("-", " "));
  const size = `${count(Number(houses), "house")} of ${seeds}`;
  return `${GAMES[/** @type {keyof typeof GAMES} */ (kind)] ?? kind}, ${[size, ...words].join(", ")}`;
}
