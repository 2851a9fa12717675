// The matrix product that makes a board of plays, with the next play lit up.

import { make } from "./dom.js";

/** @param {string} caption @param {number[][]} rows @param {(row: number, column: number) => string} light */
function table(caption, rows, light) {
  const body = make("tbody");
  rows.forEach((row, i) => {
    const line = make("tr");
    row.forEach((entry, j) => {
      const text = entry < 0 ? `\u2212${-entry}` : String(entry);
      line.append(make("td", { class: `${entry === 0 ? "zero " : ""}${light(i, j)}`.trim() || null }, text));
    });
    body.append(line);
  });
  return make("figure", {}, make("figcaption", {}, caption), make("table", {}, body));
}

/** @param {string} text */
function sign(text) {
  return make("span", { class: "sign" }, text);
}

/**
 * @param {HTMLElement} host
 * @param {{ matrix: number[][], vector: number[], product: number[] }} factors
 * @param {number | null} next the bin of the next play, counted from 1
 */
export function showProduct(host, { matrix, vector, product }, next) {
  const column = (next ?? 0) - 1;
  host.replaceChildren(
    table("taking back a play", matrix, (i, j) => (j !== column || matrix[i][j] === 0 ? "" : i === j ? "peak" : "lit")),
    sign("\u00d7"),
    table(
      "plays left",
      vector.map((one) => [one]),
      (i) => (i === column ? "peak" : ""),
    ),
    sign("="),
    table(
      "board",
      product.map((one) => [one]),
      (i) => (i === column ? "peak" : i < column ? "lit" : ""),
    ),
  );
}
