// What is known about the worth of a position and its moves, while and after the solver works.

import { Refusal, findings } from "./api.js";

/** @typedef {import("./api.js").Query} Query */
/** @typedef {import("./api.js").Finding} Finding */
/** @typedef {import("./api.js").MoveFound} MoveFound */
/** As far as the findings go. Bounds and values are proven, an estimate is not.
 * @typedef {{
 *   status: "working" | "waiting" | "done" | "cancelled" | "failed", message: string,
 *   estimate: number | null, value: number | null, bounds?: [number, number], outcome: string | null, words: string,
 *   best: string[] | null, moves: MoveFound[], complete: boolean, nodes: number, seconds: number, source?: string,
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
      return { ...known, estimate: finding.estimate, moves: sorted(finding.moves) };
    case "bounds":
    case "value":
      return { ...known, bounds: undefined, ...finding };
    case "move":
      return { ...known, moves: sorted([...known.moves.filter(({ move }) => move !== finding.move), finding]) };
    case "done":
      return { ...known, bounds: undefined, ...finding, status: "done", moves: sorted(finding.moves ?? []) };
  }
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

/** Asks for one analysis at a time and keeps those that are complete. */
export class Analyst {
  /** @param {(known: Known) => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Map<string, Known>} */
    this.complete = new Map();
    this.abort = new AbortController();
  }

  /** Stops what is under way. */
  stop() {
    this.abort.abort();
  }

  /** Analyses a position, and nothing else any more. @param {Query} query */
  async ask(query) {
    this.stop();
    const abort = new AbortController();
    this.abort = abort;
    const name = JSON.stringify(query);
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
        await findings(query, abort.signal, (finding) => tell(learn(known, finding)));
        if (known.status === "working") tell({ ...known, status: "failed", message: "the server ended the analysis" });
        return;
      } catch (fault) {
        if (abort.signal.aborted) return;
        const wait = fault instanceof Refusal && fault.status === 503 ? fault.retryAfter : 0;
        const message = fault instanceof Error ? fault.message : String(fault);
        if (wait === 0) return tell({ ...known, status: "failed", message });
        tell({ ...known, status: "waiting", message: `${message}; trying again in ${wait} s` });
        await new Promise((resume) => setTimeout(resume, wait * 1000));
        tell(unknown());
      }
    }
  }
}

/** What is known of a position once it is enough or all there is. @param {Query} query @param {(known: Known) => boolean} enough @returns {Promise<Known>} */
export async function solve(query, enough) {
  let known = unknown();
  const analyst = new Analyst((next) => {
    known = next;
    if (enough(known)) analyst.stop();
  });
  await analyst.ask(query);
  return known;
}
