// The page of the solitaire: Tchoukaillon for any number of stones.

import { announce } from "./announce.js";
import { explained, solitaire } from "./backend.js";
import { Bins } from "./bins.js";
import { find, make } from "./dom.js";
import { listen } from "./keyboard.js";
import { showProduct } from "./product.js";
import { stepTime } from "./settings.js";
import { count } from "./text.js";

/** @import { Solitaire } from "./types.js" */

const FIRST_STONES = 11;

const field = find(document, "#stones", HTMLInputElement);
const board = new Bins(find(document, "#board"), (bin) => play(bin));
/** @type {Solitaire | null} */
let view = null;
/** @type {number[]} */
let plays = [];
let visit = new AbortController();
let running = 0;

/** @param {string} fragment */
function read(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const stones = Number(values.get("stones")) || FIRST_STONES;
  const plays = (values.get("plays") ?? "")
    .split(",")
    .map(Number)
    .filter((bin) => bin > 0);
  return { stones, plays };
}

/** @param {number} stones @param {number[]} wanted @param {{ keep?: boolean, move?: boolean }} [how] */
async function show(stones, wanted, { keep = true, move = true } = {}) {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  const fault = find(document, "#fault");
  try {
    const next = await solitaire(stones, wanted, signal);
    if (signal.aborted) return;
    fault.hidden = true;
    view = next;
    plays = wanted;
    field.value = String(stones);
    // Another number of stones is another board; plays write over the address, so that Back leaves it.
    const address = `#stones=${stones}${plays.length > 0 ? `&plays=${plays.join(",")}` : ""}`;
    if (keep && plays.length === 0) history.pushState(null, "", address);
    else if (keep) history.replaceState(null, "", address);
    drawAll(next, move);
  } catch (reason) {
    if (signal.aborted) return;
    fault.textContent = explained(reason);
    fault.hidden = false;
    stop();
  }
}

/** @param {Solitaire} view @param {boolean} move */
function drawAll({ stones, board: bins, legal, next, order, vector, matrix, product, won, winnable }, move) {
  const home = stones - bins.reduce((sum, one) => sum + one, 0);
  board.show([home, ...bins], { legal, next }, move ? stepTime(1) : 0);
  const text = won
    ? `Won: all ${stones} stones are home after ${count(plays.length, "play")}.`
    : winnable && next !== null
      ? `Next is bin ${next}. ${count(order?.length ?? 0, "play")} left, ${home} of ${count(stones, "stone")} home.`
      : "This board cannot be won any more: undo, and play the nearest bin that can be played.";
  find(document, "#status").textContent = text;
  announce(`Bins ${bins.join(", ")}. ${text}`);
  const left = order ?? [];
  find(document, "#order").replaceChildren(
    ...plays.map((bin) => make("li", { class: "done" }, String(bin))),
    ...left.map((bin, i) =>
      make("li", { class: i === 0 ? "now" : null, "aria-current": i === 0 ? "step" : null }, String(bin)),
    ),
  );
  const host = find(document, "#product");
  host.hidden = !vector || !product;
  if (vector && product) showProduct(host, { matrix, vector, product }, next);
  find(document, "#undo", HTMLButtonElement).disabled = plays.length === 0;
  find(document, "#restart", HTMLButtonElement).disabled = plays.length === 0;
  find(document, "#next", HTMLButtonElement).disabled = next === null;
  find(document, "#all", HTMLButtonElement).disabled = next === null;
  find(document, "#all", HTMLButtonElement).textContent = running ? "Stop" : "Play all";
}

/** @param {number} bin */
async function play(bin) {
  if (!view) return;
  if (!view.legal.includes(bin)) return announce(`Bin ${bin} cannot be played now.`);
  await show(view.stones, [...plays, bin]);
}

async function playNext() {
  if (view?.next) await play(view.next);
}

function stop() {
  clearInterval(running);
  running = 0;
}

function playAll() {
  if (running) stop();
  else
    running = window.setInterval(
      async () => {
        await playNext();
        if (!view?.next) stop();
      },
      Math.max(3.2 * stepTime(1), 120),
    );
  find(document, "#all", HTMLButtonElement).textContent = running ? "Stop" : "Play all";
}

const undo = () => {
  stop();
  if (view && plays.length > 0) show(view.stones, plays.slice(0, -1));
};
const restart = () => {
  stop();
  if (view) show(view.stones, []);
};
field.addEventListener("change", () => {
  stop();
  show(field.valueAsNumber || FIRST_STONES, []);
});
const skip = () => find(document, "#board").focus();
for (const [id, act] of Object.entries({ undo, restart, next: playNext, all: playAll, skip })) {
  find(document, `#${id}`).addEventListener("click", act);
}
listen(
  { ArrowLeft: undo, ArrowRight: playNext, Home: restart, " ": playNext, u: undo },
  play,
  () => view?.board.length ?? 0,
);

const open = () => {
  const { stones, plays } = read(location.hash);
  show(stones, plays, { keep: false, move: false });
};
window.addEventListener("popstate", open);
open();
