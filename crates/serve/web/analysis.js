// The findings about a position and its moves, while and after the solver works.

/** @import { Finding, MoveFound, Query } from "./types.js" */

import { ApiError, findings } from "./backend.js";
import { pause } from "./pause.js";
import { Recent } from "./recent.js";

/** As far as the findings go. Bounds and values are proven, an estimate is not; `widest` is the range that the board alone gives,
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

/** A score for sorting: a proven value comes before an equal estimate. @param {MoveFound} move */
function rank({ value, estimate }) {
  return value ?? (estimate ?? -Infinity) - 0.5;
}

/** @param {MoveFound[]} moves */
function sorted(moves) {
  return [...moves].sort((a, b) => rank(b) - rank(a));
}

/** The knowledge after one more finding. @param {Known} known @param {Finding} finding @returns {Known} */
export function learn(known, finding) {
  switch (finding.finding) {
    case "estimate":
      return {
        ...known,
        status: "working",
        estimate: finding.estimate,
        moves: sorted(finding.moves),
        widest: { ...widestOf(finding.moves), ...known.widest },
      };
    case "bounds":
    case "value":
      return {
        ...known,
        status: "working",
        widest: { ...widestOf([{ move: "", bounds: finding.bounds }]), ...known.widest },
        bounds: undefined,
        ...finding,
      };
    case "move":
      return {
        ...known,
        status: "working",
        moves: sorted([...known.moves.filter(({ move }) => move !== finding.move), finding]),
      };
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

/** Asks for analyses and keeps those that are complete. */
export class Analyst {
  /** @param {(known: Known) => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Recent<Known>} */
    this.complete = new Recent(200);
  }

  /** Analyses a position until the signal is aborted. @param {Query} query @param {AbortSignal} signal @param {boolean} [withLine] a perfect line, too */
  async ask(query, signal, withLine = false) {
    const name = JSON.stringify([query, withLine]);
    let known = this.complete.get(name) ?? unknown();
    const tell = (/** @type {Known} */ next) => {
      known = next;
      if (known.complete) this.complete.set(name, known);
      if (!signal.aborted) this.changed(known);
    };
    const done = () => known.status === "done";
    tell(known);
    while (!done() && !signal.aborted) {
      try {
        await findings(query, signal, (finding) => tell(learn(known, finding)), withLine);
        if (!done()) tell({ ...known, status: "failed", message: "The analysis ended before it was done." });
        return;
      } catch (fault) {
        if (signal.aborted) return;
        const message = fault instanceof Error ? fault.message : String(fault);
        if (!(fault instanceof ApiError) || !fault.retryAfter || (fault.status !== 503 && fault.status !== 0)) {
          return tell({ ...known, status: "failed", message });
        }
        // It waits, and says so until there is something to say.
        tell({
          ...known,
          status: "waiting",
          message: fault.status === 503 ? "Others are being served; yours comes next." : message,
        });
        await pause(fault.retryAfter * 1000, signal);
      }
    }
  }
}

/**
 * Analyses a position until enough or everything is known, the time is up or the signal is aborted.
 *
 * @param {Query} query
 * @param {(known: Known) => boolean} enough
 * @param {{ time?: number, signal?: AbortSignal }} [limits] `time` in milliseconds
 * @returns {Promise<Known>}
 */
export async function solve(query, enough, { time = 120_000, signal } = {}) {
  let known = unknown();
  const work = new AbortController();
  const stop = () => work.abort();
  const analyst = new Analyst((next) => {
    known = next;
    if (enough(known)) stop();
  });
  const timer = setTimeout(stop, time);
  signal?.addEventListener("abort", stop, { once: true });
  await analyst.ask(query, work.signal);
  signal?.removeEventListener("abort", stop);
  clearTimeout(timer);
  return known;
}
