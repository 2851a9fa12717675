// What is known about the worth of a position and its moves, while and after the solver works.

import { Refusal, stream } from "./api.js";

/** @typedef {import("./api.js").Query} Query */
/** @typedef {{ move: string, value: number | null, lower: number | null, upper: number | null, again: boolean }} MoveWorth */
/**
 * @typedef {{
 *   status: "working" | "waiting" | "done" | "cancelled" | "failed",
 *   lower: number | null, upper: number | null, value: number | null, words: string,
 *   moves: MoveWorth[], bestTurn: string[], line: string[][],
 *   nodes: number, seconds: number, message: string,
 * }} Analysis
 */

/** @returns {Analysis} */
export function unknown() {
  return {
    status: "working",
    lower: null,
    upper: null,
    value: null,
    words: "",
    moves: [],
    bestTurn: [],
    line: [],
    nodes: 0,
    seconds: 0,
    message: "",
  };
}

/** How good a move is known to be, for sorting. @param {MoveWorth} move */
function worth({ value, lower }) {
  return value ?? (lower ?? -Infinity) - 0.5;
}

/** A move of an event, or of the same list as `sow solve --json` gives. @param {any} data @returns {MoveWorth} */
function moveWorth({ move, house, value = null, bounds = [value, value], lower = bounds[0], upper = bounds[1], again = false }) {
  return { move: String(move ?? house ?? "x"), value, lower, upper, again };
}

/**
 * The analysis after one more event of the server's.
 *
 * @param {Analysis} known
 * @param {string} name
 * @param {any} data
 * @returns {Analysis}
 */
export function learn(known, name, data) {
  const next = { ...known, nodes: data.nodes ?? known.nodes, seconds: data.seconds ?? known.seconds };
  switch (name) {
    case "bounds":
      return { ...next, lower: data.lower, upper: data.upper };
    case "value":
      return { ...next, value: data.value, lower: data.value, upper: data.value, words: data.words };
    case "move": {
      const others = known.moves.filter(({ move }) => move !== String(data.move));
      return { ...next, moves: [...others, moveWorth(data)].sort((a, b) => worth(b) - worth(a)) };
    }
    case "done": {
      const value = data.value ?? null;
      const moves = (data.moves ?? []).map(moveWorth);
      return {
        ...next,
        status: "done",
        value: value ?? known.value,
        lower: data.bounds?.[0] ?? known.lower,
        upper: data.bounds?.[1] ?? known.upper,
        words: data.words ?? known.words,
        moves: moves.length > 0 ? moves.sort((/** @type {MoveWorth} */ a, /** @type {MoveWorth} */ b) => worth(b) - worth(a)) : known.moves,
        bestTurn: (data.best_turn ?? []).map(String),
        line: data.line ?? [],
      };
    }
    case "failed":
      return { ...next, status: "failed", message: data.error?.message ?? "the analysis failed" };
    default:
      return known;
  }
}

/** The moves that are as good as the best one. @param {Analysis} known */
export function best({ moves }) {
  const top = moves[0]?.value ?? null;
  return top === null ? [] : moves.filter(({ value }) => value === top).map(({ move }) => move);
}

/** Asks for one analysis at a time and keeps those that are complete. */
export class Analyst {
  /** @param {(known: Analysis) => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Map<string, Analysis>} */
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
    const tell = (/** @type {Analysis} */ next) => {
      known = next;
      if (known.status === "done" && known.value !== null) this.complete.set(name, known);
      if (!abort.signal.aborted) this.changed(known);
    };
    tell(known);
    if (known.status === "done") return;
    while (!abort.signal.aborted) {
      try {
        await stream("analysis", query, abort.signal, (event, data) => tell(learn(known, event, data)));
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

/** A complete analysis, with nothing shown meanwhile. @param {Query} query @returns {Promise<Analysis>} */
export async function solve(query) {
  let known = unknown();
  const analyst = new Analyst((next) => (known = next));
  await analyst.ask(query);
  return known;
}
