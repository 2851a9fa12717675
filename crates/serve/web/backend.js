// All requests of the page go through here. They are answered by source.js: a server, or a worker of the browser.

/** @import { Choices, FairStart, Finding, Games, Imported, Motion, PlayedMoves, Puzzle, Query, Reply, Review, ReviewedTurn, Solitaire, StudyList, StudyTable, View } from "./types.js" */

import { ApiError } from "./error.js";
import * as source from "./source.js";

export { ApiError };

/** @typedef {Record<string, string | number | boolean | null>} Values */

/** The message of an error, with its example unless the message has one. @param {unknown} error */
export function explained(error) {
  const message = error instanceof Error ? error.message : String(error);
  const example = error instanceof ApiError ? error.example : null;
  return example && !message.includes(" as in ") ? `${message}, as in ${example}` : message;
}

/** @param {Values} values */
function parameters(values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== "" && value !== false) search.set(name, String(value));
  }
  return search;
}

/** @param {Query} query */
function line({ game, start, free, first, moves, pass = false }) {
  return { game, start, free, first: first === "north" ? first : null, moves: moves.join(","), pass };
}

/** @param {string} path @param {Values} values @param {AbortSignal} [signal] */
function plain(path, values, signal) {
  return source.ask(path, parameters(values), signal);
}

/** @param {string} path @param {Values} values @param {AbortSignal} [signal] */
async function ask(path, values, signal) {
  return JSON.parse(await plain(path, values, signal));
}

/** @param {AbortSignal} [signal] @returns {Promise<Games>} */
export function games(signal) {
  return ask("games", {}, signal);
}

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<View>} */
export function position(query, signal) {
  return ask("position", line(query), signal);
}

/** The moves so far, and as a record. @param {Query} query @param {AbortSignal} [signal] @returns {Promise<PlayedMoves>} */
export function record(query, signal) {
  return ask("record", line(query), signal);
}

/** The motions of the next moves; null if there are too many. @param {Query} query @param {string[]} next @param {AbortSignal} [signal] @returns {Promise<Motion[] | null>} */
export async function motions(query, next, signal) {
  return (await ask("motions", { ...line(query), next: next.join(",") }, signal)).motions;
}

/** @param {Query} query @param {string} opponent @param {number} seed @param {AbortSignal} [signal] @returns {Promise<Reply>} */
export function reply(query, opponent, seed, signal) {
  return ask("reply", { ...line(query), opponent, seed }, signal);
}

/** How often players of each level choose each move. @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Choices>} */
export function choices(query, signal) {
  return ask("choices", line(query), signal);
}

/** A game's rules in plain sentences. @param {string} game @param {AbortSignal} [signal] @returns {Promise<string[]>} */
export async function rules(game, signal) {
  return (await ask("rules", { game }, signal)).rules;
}

/** A pasted text as a game. @param {string} text @param {string} game @param {AbortSignal} [signal] @returns {Promise<Imported>} */
export function imported(text, game, signal) {
  return ask("import", { text, game }, signal);
}

/** A start that is a draw, if one is known. @param {string} game @param {number} number @param {AbortSignal} [signal] @returns {Promise<FairStart>} */
export function fair(game, number, signal) {
  return ask("fair", { game, number }, signal);
}

/** @param {AbortSignal} [signal] @returns {Promise<Puzzle[]>} */
export async function puzzles(signal) {
  return (await ask("puzzles", {}, signal)).puzzles;
}

/** @param {AbortSignal} [signal] @returns {Promise<StudyList>} */
export function studies(signal) {
  return ask("studies", {}, signal);
}

/** @param {string} name @param {AbortSignal} [signal] @returns {Promise<StudyTable>} */
export function studyTable(name, signal) {
  return ask(`studies/${name}/table`, {}, signal);
}

/** An address as a QR code. @param {string} text @param {AbortSignal} [signal] @returns {Promise<string>} a picture */
export function qr(text, signal) {
  return plain("qr.svg", { text }, signal);
}

/** The board as a picture. @param {Query} query @param {boolean} flip @param {AbortSignal} [signal] @returns {Promise<string>} */
export function drawing(query, flip, signal) {
  return plain("board.svg", { ...line(query), flip }, signal);
}

/** @param {number} stones @param {number[]} plays @param {AbortSignal} [signal] @returns {Promise<Solitaire>} */
export function solitaire(stones, plays, signal) {
  return ask("solitaire", { stones, plays: plays.join(",") }, signal);
}

/**
 * The findings of an analysis, as they come.
 *
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(finding: Finding) => void} receive
 * @param {boolean} [withLine] a perfect continuation, too
 */
export function findings(query, signal, receive, withLine = false) {
  return source.stream("analysis", parameters({ ...line(query), line: withLine }), signal, (_, finding) =>
    receive(finding),
  );
}

/**
 * The loss of each turn, the last one first, and in the end the whole review.
 *
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {(turn: ReviewedTurn) => void} receive
 * @param {(review: Review) => void} finish
 */
export function reviewed(query, signal, receive, finish) {
  return source.stream("review", parameters(line(query)), signal, (name, data) =>
    name === "turn" ? receive(data) : finish(data),
  );
}
