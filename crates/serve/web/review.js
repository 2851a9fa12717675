// The review of a line: what every turn lost against perfect play.

import { stream } from "./api.js";
import { button, make } from "./dom.js";
import { count, title, turn as spell } from "./words.js";

/** @typedef {import("./api.js").Query} Query */
/** @typedef {import("./api.js").Side} Side */
/** `ply` moves come before it. Values are the margins of the side whose turn it is; null where they could not be found in time.
 * @typedef {{ turn: number, ply: number, side: Side, moves: string[], before: number | null, after: number | null, lost: number | null, best: string[] | null }} Turn */
/** @typedef {{ query: Query, turns: Turn[], complete: boolean }} Review */

/**
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(review: Review) => void} changed
 */
export async function review(query, signal, changed) {
  /** @type {Review} */
  let known = { query, turns: [], complete: false };
  await stream("review", query, signal, (name, data) => {
    // The last turns come first, since they are the easiest.
    if (name === "turn") known = { ...known, turns: [data, ...known.turns].sort((a, b) => a.ply - b.ply) };
    if (name === "done") known = { ...known, complete: true };
    if (name === "failed") throw new Error(data.error?.message ?? "the review failed");
    changed(known);
  });
}

/** The turns that lost most, worst first. @param {Review} review */
export function mistakes({ turns }) {
  return turns.filter(({ lost }) => (lost ?? 0) > 0).sort((a, b) => (b.lost ?? 0) - (a.lost ?? 0));
}

/** The moves up to the end of a turn, as a name. @param {Review} review @param {Turn} turn */
export function endOf(review, turn) {
  return review.query.moves.slice(0, turn.ply + turn.moves.length).join();
}

/** @param {Review} review @param {Side} side */
function lostBy({ turns }, side) {
  return turns.reduce((sum, turn) => sum + (turn.side === side ? (turn.lost ?? 0) : 0), 0);
}

/**
 * @param {HTMLElement} host
 * @param {Review} review
 * @param {(ply: number) => void} jump
 */
export function showReview(host, review, jump) {
  const worst = mistakes(review).slice(0, 5);
  const sum = `South lost ${count(lostBy(review, "south"), "seed")}, North ${lostBy(review, "north")}`;
  const unknown = review.turns.filter(({ lost }) => lost === null).length;
  const about = review.complete ? `${sum}.` : `${count(review.turns.length, "turn")} reviewed. ${sum} so far.`;
  const list = make("ol", { "aria-label": "Worst turns" });
  for (const turn of worst) {
    const better = turn.best ? `; better ${spell(turn.best)}` : "";
    const text = `${turn.turn}. ${title(turn.side)} ${spell(turn.moves)}: lost ${turn.lost}${better}`;
    list.append(make("li", {}, button(text, () => jump(turn.ply))));
  }
  host.replaceChildren(make("p", {}, about));
  if (unknown > 0) host.append(make("p", { class: "hint" }, `${count(unknown, "turn")} could not be valued in time.`));
  if (worst.length > 0) host.append(list);
  else if (review.complete && unknown === 0) host.append(make("p", { class: "hint" }, "Every turn was perfect."));
}
