// The panel that says what a position and its moves are worth, and the same as marks on the board.

import { best } from "./analysis.js";
import { button, find, make } from "./dom.js";
import { key } from "./pits.js";
import { outcome, range, short, signed, title, tone, turn } from "./words.js";

/** @typedef {import("./analysis.js").Analysis} Analysis */
/** @typedef {import("./analysis.js").MoveWorth} MoveWorth */
/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./board.js").Mark} Mark */

/** @param {MoveWorth} move */
function figure({ value, lower, upper }) {
  return value === null ? range(lower, upper) : signed(value);
}

/** @param {MoveWorth} move */
function colour({ value }) {
  return value === null ? "open" : tone(value);
}

/** @param {Analysis} known @param {Side} mover @returns {Map<string, Mark>} */
export function marks(known, mover) {
  const tops = best(known);
  return new Map(
    known.moves
      .filter(({ move }) => move !== "x")
      .map((move) => [
        key({ side: mover, house: Number(move.move) }),
        { text: figure(move).replace(" to ", "\u2026"), tone: colour(move), best: tops.includes(move.move) },
      ]),
  );
}

/** The position in a sentence. @param {Analysis} known @param {Side} mover */
export function verdict({ value, words, lower, upper, status }, mover) {
  if (words) return words;
  if (value !== null) {
    return value === 0 ? "A draw with perfect play." : `${title(mover)} ${outcome(value)} with perfect play.`;
  }
  if (lower !== null && upper !== null && lower > 0) return `${title(mover)} wins by at least ${lower}.`;
  if (lower !== null && upper !== null && upper < 0) return `${title(mover)} loses by at least ${-upper}.`;
  return status === "working" ? "Working it out\u2026" : "Not known exactly.";
}

/** @param {Analysis} known */
export function bestTurn({ bestTurn: moves, value }) {
  return moves.length > 0 && value !== null ? `${turn(moves)}: ${outcome(value)}` : "";
}

/** @param {Analysis} known */
function progress(known) {
  const work = `${short(known.nodes)} nodes, ${known.seconds.toFixed(1)} s`;
  const bounds = known.lower === null ? "" : `between ${range(known.lower, known.upper).replace(" to ", " and ")}, `;
  switch (known.status) {
    case "working":
      return known.value === null ? `${bounds}${work}` : `the other moves are being worked out, ${work}`;
    case "cancelled":
      return `cancelled: ${bounds}${work}`;
    case "done":
      return known.value === null ? `the time ran out: ${bounds}${work}` : work;
    default:
      return known.message;
  }
}

/**
 * @param {Analysis} known
 * @param {Side} mover
 * @param {(move: string) => void} play
 */
export function show(known, mover, play) {
  find("verdict", HTMLElement).textContent = verdict(known, mover);
  const best = bestTurn(known);
  find("best-turn", HTMLElement).replaceChildren(...(best ? ["Best turn: ", make("b", {}, best)] : []));
  find("progress", HTMLElement).textContent = progress(known);
  find("cancel", HTMLElement).hidden = known.status !== "working" && known.status !== "waiting";
  const list = find("worths", HTMLElement);
  const rows = known.moves.map((move) => row(move, play));
  list.replaceChildren(...rows);
}

/** @param {MoveWorth} move @param {(move: string) => void} play */
function row(move, play) {
  const name = move.move === "x" ? "Swap sides" : `House ${move.move}`;
  const item = button("", () => play(move.move), { "data-move": move.move });
  item.append(make("span", { class: `pill ${colour(move)}` }, figure(move)), name);
  if (move.again) item.append(make("span", { class: "note" }, "moves again"));
  return make("li", {}, item);
}

export function clear() {
  for (const id of ["verdict", "best-turn", "progress", "worths"]) find(id, HTMLElement).replaceChildren();
  find("cancel", HTMLElement).hidden = true;
}
