// What the page knows comes through here, and nowhere else: positions, analyses, replies, studies. Who answers is in
// source.js: a server, or a worker of the browser's own.

import { Refusal } from "./refusal.js";
import * as source from "./source.js";

export { Refusal };

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
function plain(path, values, signal) {
  return source.ask(path, parameters(values), signal);
}

/** @param {string} path @param {Record<string, string | number | boolean | null>} values @param {AbortSignal} [signal] */
async function ask(path, values, signal) {
  return JSON.parse(await plain(path, values, signal));
}

/** @returns {Promise<Games>} */
export async function games() {
  return ask("games", {});
}

/** @param {Query} query @returns {Promise<View>} */
export async function position(query) {
  return ask("position", line(query));
}

/** @param {Query} query @param {string} opponent @param {number} seed @param {AbortSignal} signal @returns {Promise<Reply>} */
export async function reply(query, opponent, seed, signal) {
  return ask("reply", { ...line(query), opponent, seed }, signal);
}

/** How often players of each level choose each move. @param {Query} query @param {AbortSignal} signal @returns {Promise<Choices>} */
export async function choices(query, signal) {
  return ask("choices", line(query), signal);
}

/** A game's rules in plain sentences. @param {string} game @returns {Promise<string[]>} */
export async function rules(game) {
  return (await ask("rules", { game })).rules;
}

/** What somebody pasted, as a game. @param {string} text @param {string} game @returns {Promise<Imported>} */
export async function imported(text, game) {
  return ask("import", { text, game });
}

/** A start that is a draw, if one is known. @param {string} game @param {number} number @returns {Promise<FairStart>} */
export async function fair(game, number) {
  return ask("fair", { game, number });
}

/** @returns {Promise<Puzzle[]>} */
export async function puzzles() {
  return (await ask("puzzles", {})).puzzles;
}

/** @returns {Promise<StudyList>} */
export async function studies() {
  return ask("studies", {});
}

/** @param {string} name @param {AbortSignal} signal @returns {Promise<StudyReport>} */
export async function study(name, signal) {
  return ask(`studies/${name}`, {}, signal);
}

/** A text as a square of dots. @param {string} text @returns {Promise<string>} a picture */
export async function qr(text) {
  return plain("qr.svg", { text });
}

/** @param {Query} query @param {boolean} flip @returns {Promise<string>} */
export async function drawing(query, flip) {
  return plain("board.svg", { ...line(query), flip });
}

/** @param {number} stones @param {number[]} plays @returns {Promise<Solitaire>} */
export async function solitaire(stones, plays) {
  return ask("solitaire", { stones, plays: plays.join(",") });
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
  return source.stream("analysis", parameters({ ...line(query), line: withLine }), signal, (_, finding) => receive(finding));
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
  return source.stream("review", parameters(line(query)), signal, (name, data) => (name === "turn" ? receive(data) : finish(data)));
}
