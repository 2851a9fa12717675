// The findings about a position in sentences, figures and marks.

/** @import { Known } from "./analysis.js" */
/** @import { MoveFound, Side } from "./types.js" */
/** @import { Mark } from "./board/board.js" */

import { best, telling } from "./analysis.js";
import { key } from "./board/pits.js";
import { guess, range, short, signed, verdict as spoken, title, tone, turn } from "./text.js";

/** A value, or else a guess that says it is one. @param {MoveFound} move */
export function figure({ value, estimate }) {
  if (value !== null) return signed(value);
  return estimate === null ? "?" : guess(estimate);
}

/** @param {MoveFound} move */
export function colour({ value }) {
  return value === null ? "open" : tone(value);
}

/** @param {Known} known @param {Side} mover @returns {Map<string, Mark>} */
export function marks(known, mover) {
  const tops = best(known);
  return new Map(
    known.moves
      .filter(({ move }) => move !== "swap")
      .map((move) => [
        key({ side: mover, house: Number(move.move) }),
        { text: figure(move), tone: colour(move), best: tops.includes(move.move) },
      ]),
  );
}

/** The position in a sentence. @param {Known} known @param {Side} mover */
export function verdict(known, mover) {
  const { value, outcome, words, estimate, status } = known;
  if (value !== null) return spoken(value, mover);
  if (outcome !== null) return words;
  if (estimate === null) return status === "failed" ? "No values." : "Working it out\u2026";
  return `Not known yet. It looks like ${guess(estimate)} for ${title(mover)}.`;
}

/** @param {Known} known @param {Side} mover */
export function bestTurn({ best, value }, mover) {
  return best && best.length > 0 && value !== null ? `${title(mover)}\u2019s best: ${turn(best)}` : "";
}

/** How far the work is. @param {Known} known */
export function progress(known) {
  if (known.status === "failed") return known.message;
  if (known.status === "waiting") return known.message;
  if (known.status === "done" && known.source === "book") return "Known from the book of openings.";
  const proven = telling(known, "");
  const bounds = proven && known.value === null ? `Proven so far: ${range(...proven)}. ` : "";
  const work = known.nodes > 0 ? `${short(known.nodes)} positions, ${known.seconds.toFixed(1)} s.` : "";
  if (known.status === "cancelled") return `${bounds}Stopped after ${work || "no work."}`;
  if (known.status === "done")
    return known.complete ? work && `Proven: ${work}` : `${bounds}Not finished after ${work}`;
  return known.value === null ? `${bounds}${work}` : `The other moves are being worked out. ${work}`;
}
