// Puzzles: one best turn, and the visitor finds it.

import { announce } from "./announce.js";
import { explained, position, puzzles } from "./backend.js";
import { find, make } from "./dom.js";
import { keep, kept } from "./settings.js";
import { solvedOn, streak } from "./streak.js";
import { Table } from "./table.js";
import { count, game, outcome, turn as spell } from "./text.js";

/** @import { Puzzle } from "./types.js" */

const DAY = 86_400_000;
const THEMES = {
  chain: "a chain of moves",
  capture: "capture",
  starving: "starving",
  sacrifice: "sacrifice",
  quiet: "quiet move",
};

const table = new Table(find(document, "#board"), (legal) => play(legal.move));
const theme = find(document, "#theme", HTMLSelectElement);
const grade = find(document, "#grade", HTMLSelectElement);
const prompt = find(document, "#prompt");
/** @type {Puzzle[]} */
let all = [];
/** @type {Puzzle | null} */
let puzzle = null;
/** @type {string[]} */
let moves = [];
let over = false;

const today = () => Math.floor(Date.now() / DAY);

/** @param {string} text @param {"" | "right" | "wrong"} [how] */
function say(text, how = "") {
  prompt.className = `prompt ${how}`;
  prompt.textContent = text;
  announce(text);
}

function query() {
  return {
    game: puzzle?.game ?? "",
    start: puzzle?.position ?? null,
    free: false,
    first: /** @type {const} */ ("south"),
    moves,
  };
}

/** @param {string} name */
function themed(name) {
  return THEMES[/** @type {keyof typeof THEMES} */ (name)] ?? name;
}

/** @param {Puzzle} next */
async function open(next) {
  [puzzle, moves, over] = [next, [], false];
  history.replaceState(null, "", `#${next.position}`);
  find(document, "#about").textContent =
    `${game(next.game)} \u2013 ${count(next.grade, "turn")} ahead \u2013 ${next.themes.map(themed).join(", ")}`;
  find(document, "#analyse", HTMLAnchorElement).href = `./#game=${next.game}&start=${next.position}`;
  await table.show(query());
  say(
    `South to move. One turn ${outcome(next.value)}, every other is worse by ${next.value - next.next_best} or more. Find it.`,
  );
  const { days } = streak(kept("streak"), today());
  find(document, "#streak").textContent = days > 0 ? `${count(days, "day")} in a row` : "";
}

/** @param {string} move */
async function play(move) {
  if (!puzzle || over) return;
  moves = [...moves, move];
  const view = await table.show(query(), { animate: true });
  if (!view) return;
  if (view.to_move === "south" && !view.finished) return say("You move again.");
  // The same turn may be played in another order: its last position decides.
  const wanted = await position({ ...query(), moves: puzzle.turn });
  over = true;
  await table.show(query(), { open: false });
  if (wanted.position !== view.position) return say("That is not the best turn. Try again.", "wrong");
  keep("streak", solvedOn(kept("streak"), today()));
  const { days } = streak(kept("streak"), today());
  find(document, "#streak").textContent = `${count(days, "day")} in a row`;
  const solved = new Set((kept("solved") ?? "").split(" ").filter(Boolean)).add(puzzle.position);
  keep("solved", [...solved].slice(-2000).join(" "));
  say(`Right: ${spell(moves)} ${outcome(puzzle.value)}.`, "right");
}

async function show() {
  if (!puzzle) return;
  [moves, over] = [puzzle.turn, true];
  await table.show(query(), { open: false });
  say(`The turn is ${spell(puzzle.turn)}: it ${outcome(puzzle.value)}.`);
}

/** Those of the chosen kind; all, if there are none. */
function chosen() {
  const fits = all.filter(
    (one) => (!theme.value || one.themes.includes(theme.value)) && (!grade.value || String(one.grade) === grade.value),
  );
  return fits.length > 0 ? fits : all;
}

function next() {
  const solved = new Set((kept("solved") ?? "").split(" "));
  const fits = chosen();
  const at = puzzle ? fits.indexOf(puzzle) : -1;
  const order = [...fits.slice(at + 1), ...fits.slice(0, at + 1)];
  open(order.find(({ position }) => !solved.has(position)) ?? order[0]);
}

const daily = () => open(all[today() % all.length]);
find(document, "#retry").addEventListener("click", () => puzzle && open(puzzle));
find(document, "#show").addEventListener("click", show);
find(document, "#next").addEventListener("click", next);
find(document, "#daily").addEventListener("click", daily);
find(document, "#skip").addEventListener("click", () => find(document, "#board").focus());
for (const select of [theme, grade]) select.addEventListener("input", () => open(chosen()[0]));
const fail = (/** @type {unknown} */ fault) => {
  const note = find(document, "#fault");
  note.textContent = explained(fault);
  note.hidden = false;
};
window.addEventListener("unhandledrejection", ({ reason }) => fail(reason));

async function begin() {
  all = await puzzles();
  theme.append(
    ...[...new Set(all.flatMap(({ themes }) => themes))]
      .sort()
      .map((name) => make("option", { value: name }, themed(name))),
  );
  grade.append(
    ...[...new Set(all.map(({ grade }) => grade))]
      .sort((a, b) => a - b)
      .map((name) => make("option", { value: name }, `${count(name, "turn")} ahead`)),
  );
  await open(
    all.find(({ position }) => `#${position}` === decodeURIComponent(location.hash)) ?? all[today() % all.length],
  );
}
begin().catch(fail);
