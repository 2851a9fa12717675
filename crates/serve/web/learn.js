// Lessons: a position, a sentence, and the move that shows it. Each step is checked by playing it.

import { announce } from "./announce.js";
import { explained, rules } from "./backend.js";
import { button, find, make } from "./dom.js";
import { accepts, LESSONS } from "./lessons.js";
import { pause } from "./pause.js";
import { keep, kept } from "./settings.js";
import { Table } from "./table.js";

/** @import { Legal } from "./types.js" */

const table = new Table(find(document, "#board"), (legal) => play(legal));
const prompt = find(document, "#prompt");
let lesson = 0;
let step = 0;
/** @type {string[]} */
let moves = [];
/** Aborted when a lesson is opened. */
let visit = new AbortController();
let done = new Set((kept("lessons") ?? "").split(",").filter(Boolean));

/** @param {string} text @param {"" | "right" | "wrong"} [how] */
function say(text, how = "") {
  prompt.className = `prompt ${how}`;
  prompt.textContent = text;
  announce(text);
}

function query() {
  const { game, start } = LESSONS[lesson].steps[step];
  return {
    game: game ?? LESSONS[lesson].game,
    start: start ?? null,
    free: Boolean(start),
    first: /** @type {const} */ ("south"),
    moves,
  };
}

/** @param {boolean} animate */
async function pose(animate) {
  if (!(await table.show(query(), { animate }))) return;
  const { steps } = LESSONS[lesson];
  say(steps[step].ask);
  find(document, "#steps").textContent = `Step ${step + 1} of ${steps.length}`;
}

/** @param {Legal} legal */
async function play(legal) {
  const { steps } = LESSONS[lesson];
  const { signal } = visit;
  const now = steps[step];
  if (!accepts(now, legal)) {
    table.refuse(legal.move);
    return say(`${now.wrong ?? "Not this one."} Try another house.`, "wrong");
  }
  moves = [...moves, legal.move];
  await table.show(query(), { animate: true, open: false });
  if (signal.aborted) return;
  say(now.right, "right");
  if (step + 1 < steps.length) {
    const fresh = steps[step + 1].start !== undefined || steps[step + 1].game !== undefined;
    // Long enough to be read.
    await pause(matchMedia("(prefers-reduced-motion: reduce)").matches ? 700 : 1800, signal);
    if (signal.aborted) return;
    step += 1;
    // A step without a start goes on with the same game.
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
  find(document, "#next").hidden = last;
  find(document, "#play").hidden = !last;
  tabs();
}

function tabs() {
  find(document, "#lessons").replaceChildren(
    ...LESSONS.map(({ title, name }, i) =>
      button(`${done.has(name) ? "\u2713 " : ""}${title}`, () => open(i), {
        "aria-current": i === lesson ? "page" : null,
      }),
    ),
  );
}

/** @param {number} number */
async function open(number) {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  [lesson, step, moves] = [number, 0, []];
  history.replaceState(null, "", `#lesson=${LESSONS[lesson].name}`);
  find(document, "#next").hidden = true;
  find(document, "#play").hidden = true;
  tabs();
  const [told] = await Promise.all([rules(LESSONS[lesson].game), pose(false)]);
  if (!signal.aborted) find(document, "#rules").replaceChildren(...told.map((rule) => make("li", {}, rule)));
}

find(document, "#again").addEventListener("click", () => open(lesson));
find(document, "#next").addEventListener("click", () => open(lesson + 1));
find(document, "#skip").addEventListener("click", () => find(document, "#board").focus());
window.addEventListener("unhandledrejection", ({ reason }) => {
  const note = find(document, "#fault");
  note.textContent = explained(reason);
  note.hidden = false;
});
const named = LESSONS.findIndex(({ name }) => `#lesson=${name}` === location.hash);
open(Math.max(named, 0));
