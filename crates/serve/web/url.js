// The whole view as the fragment of an address, which never leaves the browser.

/** @import { Address } from "./types.js" */

import { rootOf, Tree } from "./tree.js";

export const HUMAN = "human";
export const FIRST_GAME = "kalah(6,4)";

/** Addresses of earlier pages write a swap as `x`. @param {string} text */
function moves(text) {
  return text
    .split(",")
    .filter((move) => /^(\d{1,2}|x|swap)$/.test(move))
    .map((move) => (move === "x" ? "swap" : move));
}

/** @param {string} fragment @returns {Address} */
export function read(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const line = moves(values.get("moves") ?? "");
  const root = Tree.fromLines((values.get("lines") ?? "").split(";").map(moves));
  root.follow(line);
  for (const [path, mark, comment] of notes(values.get("notes"))) {
    const node = root.follow(moves(path));
    node.mark = mark === "!" || mark === "?" ? mark : "";
    node.comment = comment;
  }
  const at = Number(values.get("at") ?? line.length);
  return {
    game: values.get("game") || FIRST_GAME,
    start: values.get("start") || null,
    free: values.get("free") === "true",
    first: values.get("first") === "north" ? "north" : "south",
    node: root.follow(line.slice(0, Number.isInteger(at) && at >= 0 ? at : line.length)),
    flip: values.get("flip") === "true",
    south: values.get("south") || HUMAN,
    north: values.get("north") || HUMAN,
  };
}

/** @param {string | null} text @returns {[string, string, string][]} moves, mark, comment */
function notes(text) {
  try {
    const list = JSON.parse(text ?? "[]");
    return Array.isArray(list)
      ? list.map(([path, mark, comment]) => [String(path), String(mark), String(comment).slice(0, 500)])
      : [];
  } catch {
    return [];
  }
}

/** @param {Address} address */
export function write({ game, start, free, first, node, flip, south, north }) {
  const line = node.line.slice(1).map(({ move }) => move);
  const root = rootOf(node);
  const { lines, noted } = root;
  const at = node.moves.length;
  const kept = noted.map((one) => [one.moves.join(","), one.mark, one.comment]);
  /** @type {[string, string | null][]} */
  const values = [
    ["game", game],
    ["start", start],
    ["free", free ? "true" : null],
    ["first", first === "north" ? first : null],
    ["moves", line.length > 0 ? line.join(",") : null],
    ["at", at < line.length ? String(at) : null],
    ["lines", lines.length > 1 ? lines.map((moves) => moves.join(",")).join(";") : null],
    ["notes", kept.length > 0 ? JSON.stringify(kept) : null],
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
