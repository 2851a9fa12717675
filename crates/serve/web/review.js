// The review of a line: what every turn gave away against perfect play.

import { Refusal, reviewed } from "./backend.js";
import { button, make } from "./dom.js";
import { count, title, turn as spell } from "./words.js";

/** @typedef {import("./backend.js").Query} Query */
/** @typedef {import("./backend.js").ReviewedTurn} Turn */
/** The turns so far, and in the end the whole review. @typedef {{ query: Query, turns: Turn[], review: import("./backend.js").Review | null, waiting: boolean }} Known */

/**
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(known: Known) => void} changed
 */
export async function review(query, signal, changed) {
  /** @type {Known} */
  let known = { query, turns: [], review: null, waiting: false };
  const tell = (/** @type {Known} */ next) => changed((known = next));
  while (!known.review && !signal.aborted) {
    try {
      // The last turns come first, since they are the easiest.
      let turns = /** @type {Turn[]} */ ([]);
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
      if (!(fault instanceof Refusal) || (fault.status !== 503 && fault.status !== 0)) throw fault;
      tell({ ...known, waiting: true });
      await new Promise((resume) => setTimeout(resume, fault.retryAfter * 1000));
    }
  }
}

/** The turns that lost something, worst first. @param {Known} known @returns {Turn[]} */
export function mistakes({ review }) {
  return (review?.worst ?? []).flatMap((number) => review?.turns.filter(({ turn }) => turn === number) ?? []);
}

/** The moves up to the end of a turn, as a name. @param {Known} known @param {Turn} turn */
export function endOf({ query }, turn) {
  return query.moves.slice(0, turn.ply + turn.moves.length).join();
}

/** What each player gave away. @param {Known} known */
export function sums({ query, turns, review, waiting }) {
  if (!review) return waiting ? "Others are being served; yours comes next." : `${count(turns.length, "turn")} reviewed\u2026`;
  const { south, north } = review.lost;
  // After a swap the players have changed rows.
  const [one, two] = query.moves.includes("swap") ? ["Whoever started as South", "whoever started as North"] : ["South", "North"];
  return `${one} gave away ${count(south, "point")}, ${two} ${north}.`;
}

/**
 * @param {HTMLElement} host
 * @param {Known} known
 * @param {(ply: number) => void} jump
 */
export function showReview(host, known, jump) {
  const worst = mistakes(known).slice(0, 5);
  const unknown = known.turns.filter(({ lost }) => lost === null).length;
  const list = make("ol", { "aria-label": "Worst turns" });
  for (const turn of worst) {
    const row = button("", () => jump(turn.ply), { class: "mistake" });
    row.append(
      make("span", {}, `${turn.turn}. `, make("b", { class: turn.side }, title(turn.side)), ` ${spell(turn.moves)}`),
      make("span", { class: "lost" }, `\u2212${turn.lost}`),
      make("span", { class: "better" }, turn.best ? `better: ${spell(turn.best)}` : ""),
    );
    list.append(make("li", {}, row));
  }
  host.replaceChildren(make("p", {}, sums(known)));
  if (unknown > 0) host.append(make("p", { class: "hint" }, `${count(unknown, "turn")} could not be valued in time.`));
  if (worst.length > 0) host.append(list);
  else if (known.review?.complete) host.append(make("p", { class: "hint" }, "Every turn was perfect."));
}
