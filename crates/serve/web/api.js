// The server's answers, and how to ask for them.

import { parseEvents } from "./events.js";

/** @typedef {"south" | "north"} Side */
/** @typedef {{ houses: number[], store: number }} Row */
/** @typedef {{ south: Row, north: Row }} Seeds */
/** @typedef {{ kind: "pickup" | "sow" | "capture" | "collect", side: Side, house: number | null, seeds: number }} Step */
/** @typedef {{ side: Side, house?: number, store?: true }} Landing */
/** @typedef {{ house: number, again: boolean, lands: Landing, captures: number, finishes: boolean }} Legal */
/** @typedef {{ move: string, side: Side, again: boolean, captured: number, turn: number, position: string }} Played */
/**
 * @typedef {{
 *   game: string, start: string, position: string, kgp: string, record: string,
 *   to_move: Side | null, finished: boolean, board: Seeds, may_swap: boolean, swapped: boolean,
 *   result: { winner: Side | null, margin: number } | null,
 *   legal: Legal[], moves: Played[], steps: Step[] | null,
 * }} View
 */
/** @typedef {{ game: string, start: string | null, free: boolean, moves: string[] }} Query */
/**
 * @typedef {{
 *   games: { name: string, title: string, about: string }[],
 *   options: { name: string, about: string, excludes: string[] }[],
 *   limits: { houses: [number, number], seeds: [number, number] },
 *   opponents: { name: string, title: string, about: string }[],
 * }} Games
 */
/**
 * @typedef {{
 *   stones: number, start: number[], board: number[], winnable: boolean, next: number | null,
 *   order: number[], vector: number[], matrix: number[][], product: number[],
 *   finished: boolean, won: boolean, legal: number[],
 * }} Solitaire
 */

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

/** @param {Query} query @param {string} opponent @param {number} seed @param {AbortSignal} signal @returns {Promise<{ move: string }>} */
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
export async function stream(path, query, signal, receive) {
  const response = await ask(path, line(query), signal);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parsed = parseEvents(rest + value);
    rest = parsed.rest;
    for (const { name, data } of parsed.events) receive(name, JSON.parse(data));
  }
}
