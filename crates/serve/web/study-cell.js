// A cell of a study's table, as the API describes it.

/** @import { TableCell } from "./types.js" */

/** Words below figures that were not computed now. @type {Partial<Record<TableCell["source"], string>>} */
const SOURCES = { estimated: "estimated", bounded: "bounded", kept: "kept", printed: "printed" };

/** @param {Pick<TableCell, "agreement">} cell */
export function tone({ agreement }) {
  if (agreement === "differs") return "differs";
  return agreement === "not-reached" || agreement === "not-recomputed" ? "open" : "equal";
}

/** The lines below the figure. @param {Pick<TableCell, "shown" | "aside" | "source" | "agreement">} cell @returns {string[]} */
export function notes({ shown, aside, source, agreement }) {
  const print = aside && aside !== shown ? `print: ${aside}` : "";
  return [SOURCES[source] ?? "", agreement === "misprint" ? "misprint" : "", print].filter(Boolean);
}
