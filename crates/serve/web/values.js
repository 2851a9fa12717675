// The panel that says what a position and its moves are worth, and the same as marks on the board.

import { best, telling } from "./analysis.js";
import { button, find, make } from "./dom.js";
import { key } from "./pits.js";
import { guess, outcome, range, short, signed, title, tone, turn, verdict as spoken } from "./words.js";

/** @typedef {import("./analysis.js").Known} Known */
/** @typedef {import("./backend.js").MoveFound} MoveFound */
/** @typedef {import("./backend.js").Choices} Choices */
/** @typedef {import("./backend.js").Side} Side */
/** @typedef {import("./board.js").Mark} Mark */

/** A value, or else a guess that says it is one. @param {MoveFound} move */
function figure({ value, estimate }) {
  if (value !== null) return signed(value);
  return estimate === null ? "?" : guess(estimate);
}

/** @param {MoveFound} move */
function colour({ value }) {
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
  if (known.status === "done") return known.complete ? work && `Proven: ${work}` : `${bounds}Not finished after ${work}`;
  return known.value === null ? `${bounds}${work}` : `The other moves are being worked out. ${work}`;
}

/**
 * @param {Known} known
 * @param {Side} mover
 * @param {{ play: (move: string) => void, choices: Choices | null }} how
 */
export function show(known, mover, { play, choices }) {
  find("verdict", HTMLElement).textContent = verdict(known, mover);
  find("best-turn", HTMLElement).textContent = bestTurn(known, mover);
  find("progress", HTMLElement).textContent = progress(known);
  const working = known.status === "working" || known.status === "waiting";
  find("cancel", HTMLElement).hidden = !working;
  find("go-on", HTMLElement).hidden = working || known.complete;
  find("line", HTMLElement).hidden = known.value === null;
  const tops = best(known);
  find("worths", HTMLElement).replaceChildren(...known.moves.map((move) => row(known, move, tops, play, choices)));
  showLine(known.line ?? null, play);
}

/** @param {Known} known @param {MoveFound} move @param {string[]} tops @param {(move: string) => void} play @param {Choices | null} choices */
function row(known, move, tops, play, choices) {
  const name = move.move === "swap" ? "Swap sides" : `House ${move.move}`;
  const isBest = tops.includes(move.move);
  const item = button("", () => play(move.move), { "data-move": move.move, class: isBest ? "best" : null });
  const words = move.value === null ? "" : outcome(move.value);
  item.append(make("span", { class: `pill ${colour(move)}` }, isBest ? `\u2605 ${figure(move)}` : figure(move)), make("span", {}, name));
  const proven = move.value === null ? telling(known, move.move) : null;
  const notes = [words, proven ? `proven ${range(...proven)}` : "", move.again ? "moves again" : ""].filter(Boolean);
  item.append(make("span", { class: "note" }, notes.join(", ")));
  if (choices) item.append(bars(move.move, choices));
  return make("li", {}, item);
}

/** How often each level plays a move, as nine bars. @param {string} move @param {Choices} choices */
function bars(move, { levels }) {
  const chances = levels.map(({ level, moves }) => ({ level, chance: moves.find((one) => one.move === move)?.chance ?? 0 }));
  const said = chances.map(({ level, chance }) => `level ${level} ${Math.round(100 * chance)} %`).join(", ");
  const host = make("span", { class: "bars", role: "img", "aria-label": `Played by ${said}`, title: said });
  for (const { chance } of chances) {
    const bar = make("i");
    bar.style.height = `${Math.max(6, Math.round(100 * chance))}%`;
    host.append(bar);
  }
  return host;
}

/** A perfect continuation, turn by turn. @param {string[][] | null} line @param {(moves: string) => void} play */
function showLine(line, play) {
  const host = find("perfect-line", HTMLElement);
  host.hidden = !line;
  if (!line) return host.replaceChildren();
  /** @type {string[]} */
  const before = [];
  const turns = line.map((moves) => {
    before.push(...moves);
    const upTo = before.join(",");
    return make("li", {}, button(turn(moves), () => play(upTo)));
  });
  host.replaceChildren(...turns);
}

export function clear() {
  for (const id of ["verdict", "best-turn", "progress", "worths", "perfect-line"]) find(id, HTMLElement).replaceChildren();
  for (const id of ["cancel", "go-on", "line"]) find(id, HTMLElement).hidden = true;
}
