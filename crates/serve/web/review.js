// The review of a line: the points that every turn gave away against perfect play.

/** @import { Query, Review, ReviewedTurn } from "./types.js" */
/** The turns so far, and in the end the whole review. @typedef {{ query: Query, turns: ReviewedTurn[], review: Review | null, waiting: boolean }} Known */

import { ApiError, reviewed } from "./backend.js";
import { pause } from "./pause.js";
import { count } from "./text.js";

/**
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(known: Known) => void} changed
 */
export async function review(query, signal, changed) {
  /** @type {Known} */
  let known = { query, turns: [], review: null, waiting: false };
  const tell = (/** @type {Known} */ next) => {
    known = next;
    changed(known);
  };
  while (!known.review && !signal.aborted) {
    try {
      // The last turns come first, since they are the easiest.
      let turns = /** @type {ReviewedTurn[]} */ ([]);
      await reviewed(
        query,
        signal,
        (turn) => {
          turns = [turn, ...turns];
          tell({ ...known, turns, waiting: false });
        },
        (review) => tell({ ...known, turns: review.turns, review, waiting: false }),
      );
      if (!known.review) throw new Error("The review ended before it was done.");
    } catch (fault) {
      if (signal.aborted) return;
      if (!(fault instanceof ApiError) || (fault.status !== 503 && fault.status !== 0)) throw fault;
      tell({ ...known, waiting: true });
      await pause(fault.retryAfter * 1000, signal);
    }
  }
}

/** The turns that lost something, worst first. @param {Known} known @returns {ReviewedTurn[]} */
export function mistakes({ review }) {
  return (review?.worst ?? []).flatMap((number) => review?.turns.filter(({ turn }) => turn === number) ?? []);
}

/** The moves up to the end of a turn, as a name. @param {Known} known @param {ReviewedTurn} turn */
export function endOf({ query }, turn) {
  return query.moves.slice(0, turn.ply + turn.moves.length).join();
}

/** The points that each player gave away. @param {Known} known */
export function sums({ query, turns, review, waiting }) {
  if (!review)
    return waiting ? "Others are being served; yours comes next." : `${count(turns.length, "turn")} reviewed\u2026`;
  const { south, north } = review.lost;
  // After a swap the players have changed rows.
  const [one, two] = query.moves.includes("swap")
    ? ["Whoever started as South", "whoever started as North"]
    : ["South", "North"];
  return `${one} gave away ${count(south, "point")}, ${two} ${north}.`;
}
