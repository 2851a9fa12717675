// What is known about the value of a position and its moves, while and after the solver works.

import { Refusal, findings } from "./backend.js";
import { Recent } from "./recent.js";

/** @typedef {import("./backend.js").Query} Query */
/** @typedef {import("./backend.js").Finding} Finding */
/** @typedef {import("./backend.js").MoveFound} MoveFound */
/** As far as the findings go. Bounds and values are proven, an estimate is not; `widest` is what the board alone told,
 * of the position by the empty name.
 * @typedef {{
 *   status: "working" | "waiting" | "done" | "cancelled" | "failed", message: string,
 *   estimate: number | null, value: number | null, bounds?: [number, number], outcome: string | null, words: string,
 *   best: string[] | null, moves: MoveFound[], line?: string[][] | null, complete: boolean, nodes: number, seconds: number, source?: string,
 *   widest: Record<string, [number, number]>,
 * }} Known
 */

/** @returns {Known} */
export function unknown() {
  return {
    status: "working",
    message: "",
    estimate: null,
    value: null,
    outcome: null,
    words: "",
    best: null,
    moves: [],
    complete: false,
    nodes: 0,
    seconds: 0,
    widest: {},
  };
}

/** How good a move looks, for sorting: what is proven comes before what is guessed. @param {MoveFound} move */
function rank({ value, estimate }) {
  return value ?? (estimate ?? -Infinity) - 0.5;
}

/** @param {MoveFound[]} moves */
function sorted(moves) {
  return [...moves].sort((a, b) => rank(b) - rank(a));
}

/** What is known after one more finding. @param {Known} known @param {Finding} finding @returns {Known} */
export function learn(known, finding) {
  switch (finding.finding) {
    case "estimate":
      return { ...known, status: "working", estimate: finding.estimate, moves: sorted(finding.moves), widest: { ...widestOf(finding.moves), ...known.widest } };
    case "bounds":
    case "value":
      return { ...known, status: "working", widest: { ...widestOf([{ move: "", bounds: finding.bounds }]), ...known.widest }, bounds: undefined, ...finding };
    case "move":
      return { ...known, status: "working", moves: sorted([...known.moves.filter(({ move }) => move !== finding.move), finding]) };
    case "done":
      return { ...known, bounds: undefined, ...finding, status: "done", moves: sorted(finding.moves ?? []) };
  }
}

/** @param {{ move: string, bounds?: [number, number] }[]} moves @returns {Known["widest"]} */
function widestOf(moves) {
  return Object.fromEntries(moves.flatMap(({ move, bounds }) => (bounds ? [[move, bounds]] : [])));
}

/** Proven bounds, where they say more than the board: of a move, or of the position by the empty name.
 * @param {Known} known @param {string} move @returns {[number, number] | null} */
export function telling({ bounds, moves, widest }, move) {
  const found = move ? moves.find((one) => one.move === move)?.bounds : bounds;
  const wide = widest[move];
  if (!found) return null;
  return wide && 2 * (found[1] - found[0]) > wide[1] - wide[0] ? null : found;
}

/** The moves that are proven to be as good as any. @param {Known} known @returns {string[]} */
export function best({ value, best, moves }) {
  if (value === null) return [];
  const proven = moves.filter((one) => one.value === value).map(({ move }) => move);
  return [...new Set([...(best ?? []).slice(0, 1), ...proven])];
}

/** What a move is proven to give away; `exactly` unless it may be more. Null if it is not known whether it gives away anything.
 * @param {Known} known @param {string} move @returns {{ lost: number, exactly: boolean } | null} */
export function givenAway({ value, moves }, move) {
  const found = moves.find((one) => one.move === move);
  if (value === null || !found) return null;
  if (found.value !== null) return { lost: value - found.value, exactly: true };
  const most = found.bounds?.[1] ?? Infinity;
  return most < value ? { lost: value - most, exactly: false } : null;
}

/** @param {Known} known */
function ended({ status }) {
  return status === "done";
}

/** Asks for one analysis at a time and keeps those that are complete. */
export class Analyst {
  /** @param {(known: Known) => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Recent<Known>} */
    this.complete = new Recent(200);
    this.abort = new AbortController();
  }

  /** Stops what is under way. */
  stop() {
    this.abort.abort();
  }

  /** Analyses a position, and nothing else any more. @param {Query} query @param {boolean} [withLine] a perfect line, too */
  async ask(query, withLine = false) {
    this.stop();
    const abort = new AbortController();
    this.abort = abort;
    const name = JSON.stringify([query, withLine]);
    let known = this.complete.get(name) ?? unknown();
    const tell = (/** @type {Known} */ next) => {
      known = next;
      if (known.complete) this.complete.set(name, known);
      if (!abort.signal.aborted) this.changed(known);
    };
    tell(known);
    if (known.status === "done") return;
    while (!abort.signal.aborted) {
      try {
        await findings(query, abort.signal, (finding) => tell(learn(known, finding)), withLine);
        if (!ended(known)) tell({ ...known, status: "failed", message: "The analysis ended before it was done." });
        return;
      } catch (fault) {
        if (abort.signal.aborted) return;
        const wait = fault instanceof Refusal && (fault.status === 503 || fault.status === 0) ? fault.retryAfter : 0;
        const message = fault instanceof Error ? fault.message : String(fault);
        if (wait === 0) return tell({ ...known, status: "failed", message });
        // It waits, and says so until there is something to say.
        const busy = fault instanceof Refusal && fault.status === 503;
        tell({ ...known, status: "waiting", message: busy ? "Others are being served; yours comes next." : message });
        await new Promise((resume) => setTimeout(resume, wait * 1000));
      }
    }
  }
}

/** What is known of a position once it is enough or all there is, or the time is up.
 * @param {Query} query @param {(known: Known) => boolean} enough @param {number} [time] milliseconds @returns {Promise<Known>} */
export async function solve(query, enough, time = 120_000) {
  let known = unknown();
  const analyst = new Analyst((next) => {
    known = next;
    if (enough(known)) analyst.stop();
  });
  const timer = setTimeout(() => analyst.stop(), time);
  await analyst.ask(query);
  clearTimeout(timer);
  return known;
}
