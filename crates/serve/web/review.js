// The review of a line: what every turn gave away against perfect play.

import { reviewed } from "./api.js";
import { button, make } from "./dom.js";
import { count, title, turn as spell } from "./words.js";

/** @typedef {import("./api.js").Query} Query */
/** @typedef {import("./api.js").ReviewedTurn} Turn */
/** The turns so far, and in the end the whole review. @typedef {{ query: Query, turns: Turn[], review: import("./api.js").Review | null }} Known */

/**
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(known: Known) => void} changed
 */
export async function review(query, signal, changed) {
  /** @type {Known} */
  let known = { query, turns: [], review: null };
  const tell = (/** @type {Known} */ next) => changed((known = next));
  // The last turns come first, since they are the easiest.
  await reviewed(
    query,
    signal,
    (turn) => tell({ ...known, turns: [turn, ...known.turns] }),
    (review) => tell({ ...known, turns: review.turns, review }),
  );
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
export function sums({ query, turns, review }) {
  if (!review) return `${count(turns.length, "turn")} reviewed\u2026`;
  const { south, north } = review.lost;
  // After a swap the players have changed rows.
  const [one, two] = query.moves.includes("x") ? ["Whoever started as South", "whoever started as North"] : ["South", "North"];
  return `${one} lost ${count(south, "point")}, ${two} ${north}.`;
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
    const better = turn.best ? `; better ${spell(turn.best)}` : "";
    const text = `${turn.turn}. ${title(turn.side)} ${spell(turn.moves)}: lost ${turn.lost}${better}`;
    list.append(make("li", {}, button(text, () => jump(turn.ply))));
  }
  host.replaceChildren(make("p", {}, sums(known)));
  if (unknown > 0) host.append(make("p", { class: "hint" }, `${count(unknown, "turn")} could not be valued in time.`));
  if (worst.length > 0) host.append(list);
  else if (known.review?.complete) host.append(make("p", { class: "hint" }, "Every turn was perfect."));
}
