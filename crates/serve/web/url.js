// The whole view as the fragment of an address, which never leaves the browser.

import { Node, plant } from "./tree.js";

/**
 * @typedef {{
 *   game: string, start: string | null, free: boolean, node: Node, flip: boolean,
 *   south: string, north: string,
 * }} State
 */

export const HUMAN = "human";
export const FIRST_GAME = "kalah(6,4)";

/** @param {string} text */
function moves(text) {
  return text.split(",").filter((move) => /^(\d{1,2}|x)$/.test(move));
}

/** @param {Node} node */
export function rootOf(node) {
  while (node.parent) node = node.parent;
  return node;
}

/** @param {string} fragment @returns {State} */
export function read(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const line = moves(values.get("moves") ?? "");
  const root = plant((values.get("lines") ?? "").split(";").map(moves));
  root.follow(line);
  const at = Number(values.get("at") ?? line.length);
  return {
    game: values.get("game") || FIRST_GAME,
    start: values.get("start") || null,
    free: values.get("free") === "true",
    node: root.follow(line.slice(0, Number.isInteger(at) && at >= 0 ? at : line.length)),
    flip: values.get("flip") === "true",
    south: values.get("south") || HUMAN,
    north: values.get("north") || HUMAN,
  };
}

/** @param {State} state */
export function write({ game, start, free, node, flip, south, north }) {
  const line = node.line.slice(1).map(({ move }) => move);
  const lines = rootOf(node).lines;
  const at = node.moves.length;
  /** @type {[string, string | null][]} */
  const values = [
    ["game", game],
    ["start", start],
    ["free", free ? "true" : null],
    ["moves", line.length > 0 ? line.join(",") : null],
    ["at", at < line.length ? String(at) : null],
    ["lines", lines.length > 1 ? lines.map((moves) => moves.join(",")).join(";") : null],
    ["flip", flip ? "true" : null],
    ["south", south === HUMAN ? null : south],
    ["north", north === HUMAN ? null : north],
  ];
  // Commas and parentheses may stand in a fragment; links are easier to read with them.
  const plain = (/** @type {string} */ text) =>
    encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%3B", ";");
  const parts = values.flatMap(([name, value]) => (value ? [`${name}=${plain(value)}`] : []));
  return `#${parts.join("&")}`;
}
