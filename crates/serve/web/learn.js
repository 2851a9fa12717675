// Lessons: a position, a sentence, and the move that shows it. Each step is checked by playing it.

import { announce } from "./announce.js";
import { explained, rules } from "./backend.js";
import { button, find, make } from "./dom.js";
import { LESSONS, accepts } from "./lessons.js";
import { keep, kept } from "./settings.js";
import { Table } from "./table.js";

/** @typedef {import("./backend.js").Legal} Legal */

const table = new Table(find("board", HTMLElement), (legal) => play(legal));
const prompt = find("prompt", HTMLElement);
let lesson = 0;
let step = 0;
/** @type {string[]} */
let moves = [];
let done = new Set((kept("lessons") ?? "").split(",").filter(Boolean));

/** @param {string} text @param {"" | "right" | "wrong"} [how] */
function say(text, how = "") {
  prompt.className = `prompt ${how}`;
  prompt.textContent = text;
  announce(text);
}

function query() {
  const { game, start } = LESSONS[lesson].steps[step];
  return { game: game ?? LESSONS[lesson].game, start: start ?? null, free: Boolean(start), first: /** @type {const} */ ("south"), moves };
}

/** @param {boolean} animate */
async function pose(animate) {
  await table.show(query(), { animate });
  const { steps } = LESSONS[lesson];
  say(steps[step].ask);
  find("steps", HTMLElement).textContent = `Step ${step + 1} of ${steps.length}`;
}

/** @param {Legal} legal */
async function play(legal) {
  const { steps } = LESSONS[lesson];
  const now = steps[step];
  if (!accepts(now, legal)) {
    table.refuse(legal.move);
    return say(`${now.wrong ?? "Not this one."} Try another house.`, "wrong");
  }
  moves = [...moves, legal.move];
  await table.show(query(), { animate: true, open: false });
  say(now.right, "right");
  if (step + 1 < steps.length) {
    const fresh = steps[step + 1].start !== undefined || steps[step + 1].game !== undefined;
    // Long enough to be read.
    await new Promise((resume) => setTimeout(resume, matchMedia("(prefers-reduced-motion: reduce)").matches ? 700 : 1800));
    if (now !== LESSONS[lesson].steps[step]) return;
    step += 1;
    // What is played on from here is the same game.
    if (fresh) moves = [];
    else if (!steps[step].start) steps[step] = { ...steps[step], start: now.start, game: now.game };
    return pose(false);
  }
  done = done.add(LESSONS[lesson].name);
  keep("lessons", [...done].join());
  finish();
}

function finish() {
  const last = lesson + 1 === LESSONS.length;
  find("next", HTMLElement).hidden = last;
  find("play", HTMLElement).hidden = !last;
  tabs();
}

function tabs() {
  find("lessons", HTMLElement).replaceChildren(
    ...LESSONS.map(({ title, name }, i) =>
      button(`${done.has(name) ? "\u2713 " : ""}${title}`, () => open(i), { "aria-current": i === lesson ? "page" : null }),
    ),
  );
}

/** @param {number} number */
async function open(number) {
  [lesson, step, moves] = [number, 0, []];
  history.replaceState(null, "", `#lesson=${LESSONS[lesson].name}`);
  find("next", HTMLElement).hidden = true;
  find("play", HTMLElement).hidden = true;
  tabs();
  const told = await rules(LESSONS[lesson].game);
  find("rules", HTMLElement).replaceChildren(...told.map((rule) => make("li", {}, rule)));
  await pose(false);
}

find("again", HTMLElement).addEventListener("click", () => open(lesson));
find("next", HTMLElement).addEventListener("click", () => open(lesson + 1));
find("skip", HTMLElement).addEventListener("click", () => find("board", HTMLElement).focus());
window.addEventListener("unhandledrejection", ({ reason }) => {
  const note = find("fault", HTMLElement);
  note.textContent = explained(reason);
  note.hidden = false;
});
const named = LESSONS.findIndex(({ name }) => `#lesson=${name}` === location.hash);
open(Math.max(named, 0));
