// The server's answers, and how to ask for them.

import { parseEvents } from "./events.js";

// What the server sends is described at /api/v1/openapi.json; forms.d.ts is made from that.
/** @typedef {import("./forms.d.ts").Side} Side */
/** @typedef {import("./forms.d.ts").Rows} Seeds */
/** @typedef {import("./forms.d.ts").Motion} Motion */
/** @typedef {import("./forms.d.ts").Legal} Legal */
/** @typedef {import("./forms.d.ts").Moved} Played */
/** @typedef {import("./forms.d.ts").View} View */
/** @typedef {import("./forms.d.ts").Games} Games */
/** @typedef {import("./forms.d.ts").Reply} Reply */
/** @typedef {import("./forms.d.ts").Finding} Finding */
/** @typedef {import("./forms.d.ts").MoveFound} MoveFound */
/** @typedef {import("./forms.d.ts").ReviewedTurn} ReviewedTurn */
/** @typedef {import("./forms.d.ts").Review} Review */
/** @typedef {import("./forms.d.ts").SolitaireView} Solitaire */
/** @typedef {{ game: string, start: string | null, free: boolean, moves: string[] }} Query */

const ROOT = "/api/v1/";

/** What the server refused, in its words. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {string | null} example @param {number} retryAfter */
  constructor(status, message, example, retryAfter) {
    super(example ? `${message}; for example ${example}` : message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** @param {Record<string, string | number | boolean | null>} values */
function parameters(values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== "" && value !== false) search.set(name, String(value));
  }
  return search;
}

/** @param {Query} query */
function line({ game, start, free, moves }) {
  return { game, start, free, moves: moves.join(",") };
}

/** @param {string} path @param {Record<string, string | number | boolean | null>} values @param {AbortSignal} [signal] */
async function ask(path, values, signal) {
  const response = await fetch(`${ROOT}${path}?${parameters(values)}`, { signal });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `the server answered ${response.status}`;
  const wait = Number(response.headers.get("Retry-After")) || 1;
  throw new Refusal(response.status, message, body?.error?.example ?? null, wait);
}

/** @returns {Promise<Games>} */
export async function games() {
  return (await ask("games", {})).json();
}

/** @param {Query} query @returns {Promise<View>} */
export async function position(query) {
  return (await ask("position", line(query))).json();
}

/** @param {Query} query @param {string} opponent @param {number} seed @param {AbortSignal} signal @returns {Promise<Reply>} */
export async function reply(query, opponent, seed, signal) {
  return (await ask("reply", { ...line(query), opponent, seed }, signal)).json();
}

/** @param {Query} query @param {boolean} flip @returns {Promise<string>} */
export async function drawing(query, flip) {
  return (await ask("board.svg", { ...line(query), flip })).text();
}

/** @param {number} stones @param {number[]} plays @returns {Promise<Solitaire>} */
export async function solitaire(stones, plays) {
  return (await ask("solitaire", { stones, plays: plays.join(",") })).json();
}

/**
 * Reads a stream of events until it ends or is aborted; aborting stops the server's work.
 *
 * @param {"analysis" | "review"} path
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} receive
 */
async function stream(path, query, signal, receive) {
  const response = await ask(path, line(query), signal);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parsed = parseEvents(rest + value);
    rest = parsed.rest;
    for (const { name, data } of parsed.events) {
      const parsed = JSON.parse(data);
      if (name === "failed") throw new Refusal(500, parsed.error.message, parsed.error.example, 0);
      receive(name, parsed);
    }
  }
}

/** What is found of a position. @param {Query} query @param {AbortSignal} signal @param {(finding: Finding) => void} receive */
export function findings(query, signal, receive) {
  return stream("analysis", query, signal, (_, finding) => receive(finding));
}

/**
 * What each turn gave away, the last one first, and in the end all of it.
 *
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(turn: ReviewedTurn) => void} receive
 * @param {(review: Review) => void} finish
 */
export function reviewed(query, signal, receive, finish) {
  return stream("review", query, signal, (name, data) => (name === "turn" ? receive(data) : finish(data)));
}
