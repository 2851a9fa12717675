// The panel that says what a position and its moves are worth, and the same as marks on the board.

import { best } from "./analysis.js";
import { button, find, make } from "./dom.js";
import { key } from "./pits.js";
import { guess, outcome, range, short, signed, title, tone, turn } from "./words.js";

/** @typedef {import("./analysis.js").Known} Known */
/** @typedef {import("./api.js").MoveFound} MoveFound */
/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./board.js").Mark} Mark */

/** A value, or else a guess that says it is one. @param {MoveFound} move */
function figure({ value, estimate }) {
  if (value !== null) return signed(value);
  return estimate === null ? "?" : guess(estimate);
}

/** @param {MoveFound} move */
function colour({ value }) {
  return value === null ? "open" : tone(value);
}

/** @param {Known} known @param {Side} mover @returns {Map<string, Mark>} */
export function marks(known, mover) {
  const tops = best(known);
  return new Map(
    known.moves
      .filter(({ move }) => move !== "x")
      .map((move) => [
        key({ side: mover, house: Number(move.move) }),
        { text: figure(move), tone: colour(move), best: tops.includes(move.move) },
      ]),
  );
}

/** The position in a sentence. @param {Known} known @param {Side} mover */
export function verdict({ outcome, words, estimate, status }, mover) {
  if (outcome !== null || (words && status !== "working" && status !== "waiting")) return words;
  return estimate === null ? "Working it out\u2026" : `Not known yet; an estimate is ${guess(estimate)} for ${title(mover)}.`;
}

/** @param {Known} known */
export function bestTurn({ best, value }) {
  return best && best.length > 0 && value !== null ? `${turn(best)}: ${outcome(value)}` : "";
}

/** @param {Known} known */
function progress(known) {
  if (known.status === "done" && known.source === "book") return "known from the book of openings";
  const work = `${short(known.nodes)} nodes, ${known.seconds.toFixed(1)} s`;
  const bounds = known.bounds ? `between ${range(...known.bounds).replace(" to ", " and ")}, ` : "";
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
 * @param {Known} known
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

/** @param {MoveFound} move @param {(move: string) => void} play */
function row(move, play) {
  const name = move.move === "x" ? "Swap sides" : `House ${move.move}`;
  const item = button("", () => play(move.move), { "data-move": move.move });
  item.append(make("span", { class: `pill ${colour(move)}` }, figure(move)), name);
  if (move.bounds) item.append(make("span", { class: "note" }, `proven: ${range(...move.bounds)}`));
  if (move.again) item.append(make("span", { class: "note" }, "moves again"));
  return make("li", {}, item);
}

export function clear() {
  for (const id of ["verdict", "best-turn", "progress", "worths"]) find(id, HTMLElement).replaceChildren();
  find("cancel", HTMLElement).hidden = true;
}
