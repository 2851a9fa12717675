// What the page knows comes through here, and nowhere else: positions, analyses, replies, studies. This is the one module
// that asks the server; another with the same functions can stand in its place.

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
/** @typedef {import("./forms.d.ts").Choices} Choices */
/** @typedef {import("./forms.d.ts").Imported} Imported */
/** @typedef {import("./forms.d.ts").Puzzle} Puzzle */
/** @typedef {import("./forms.d.ts").FairStart} FairStart */
/** @typedef {import("./forms.d.ts").StudyList} StudyList */
/** @typedef {import("./forms.d.ts").StudyReport} StudyReport */
/** `first` is who moves first. @typedef {{ game: string, start: string | null, free: boolean, first: Side, moves: string[] }} Query */

const ROOT = "api/v1/";

/** What the server refused, in its words. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {string | null} example @param {number} retryAfter @param {number | null} [legal] */
  constructor(status, message, example, retryAfter, legal = null) {
    super(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}`);
    /** How many moves of the line can be played, where one cannot. */
    this.legal = legal;
    this.status = status;
    /** What would be right, if something was written wrongly. */
    this.example = example;
    this.retryAfter = retryAfter;
  }
}

/** What went wrong, with what would be right where that is not said already. @param {unknown} fault */
export function explained(fault) {
  const message = fault instanceof Error ? fault.message : String(fault);
  const example = fault instanceof Refusal ? fault.example : null;
  return example && !message.includes(" as in ") ? `${message}, as in ${example}` : message;
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
function line({ game, start, free, first, moves }) {
  return { game, start, free, first: first === "north" ? first : null, moves: moves.join(",") };
}

/** @param {string} path @param {Record<string, string | number | boolean | null>} values @param {AbortSignal} [signal] */
async function ask(path, values, signal) {
  const response = await fetch(`${ROOT}${path}?${parameters(values)}`, { signal }).catch((fault) => {
    if (signal?.aborted) throw fault;
    throw new Refusal(0, "The server cannot be reached. Is it still running?", null, 3);
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `the server answered ${response.status}`;
  const wait = Number(response.headers.get("Retry-After")) || 1;
  throw new Refusal(response.status, message, body?.error?.example ?? null, wait, body?.error?.legal ?? null);
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

/** How often players of each level choose each move. @param {Query} query @param {AbortSignal} signal @returns {Promise<Choices>} */
export async function choices(query, signal) {
  return (await ask("choices", line(query), signal)).json();
}

/** A game's rules in plain sentences. @param {string} game @returns {Promise<string[]>} */
export async function rules(game) {
  return (await (await ask("rules", { game })).json()).rules;
}

/** What somebody pasted, as a game. @param {string} text @param {string} game @returns {Promise<Imported>} */
export async function imported(text, game) {
  return (await ask("import", { text, game })).json();
}

/** A start that is a draw, if one is known. @param {string} game @param {number} number @returns {Promise<FairStart>} */
export async function fair(game, number) {
  return (await ask("fair", { game, number })).json();
}

/** @returns {Promise<Puzzle[]>} */
export async function puzzles() {
  return (await (await ask("puzzles", {})).json()).puzzles;
}

/** @returns {Promise<StudyList>} */
export async function studies() {
  return (await ask("studies", {})).json();
}

/** @param {string} name @param {AbortSignal} signal @returns {Promise<StudyReport>} */
export async function study(name, signal) {
  return (await ask(`studies/${name}`, {}, signal)).json();
}

/** A text as a square of dots. @param {string} text @returns {Promise<string>} a picture */
export async function qr(text) {
  return (await ask("qr.svg", { text })).text();
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
 * @param {Record<string, boolean>} [more]
 */
async function stream(path, query, signal, receive, more = {}) {
  const response = await ask(path, { ...line(query), ...more }, signal);
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

/**
 * What is found of a position.
 *
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(finding: Finding) => void} receive
 * @param {boolean} [withLine] a perfect continuation, too
 */
export function findings(query, signal, receive, withLine = false) {
  return stream("analysis", query, signal, (_, finding) => receive(finding), withLine ? { line: true } : {});
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
