// Parts of the analysis board, each alone on the markup of the page, in a document without a browser.

import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";

import { Window } from "happy-dom";

import { learn, unknown } from "../crates/serve/web/analysis.js";
import { initial, reduce } from "../crates/serve/web/state.js";
import { Store } from "../crates/serve/web/store.js";
import { Tree } from "../crates/serve/web/tree.js";
import { view } from "./views.js";

/** @import { Action, GameStore } from "../crates/serve/web/types.js" */

const PAGE = readFileSync(new URL("../crates/serve/web/index.html", import.meta.url), "utf8").replaceAll(
  /<(script|link)[^>]*>(<\/script>)?/g,
  "",
);
const never = new AbortController().signal;
// Buttons of a panel all listen until one signal is aborted.
setMaxListeners(50);

const window = new Window({ url: "http://127.0.0.1/" });
for (const name of [
  "document",
  "Element",
  "HTMLElement",
  "HTMLButtonElement",
  "HTMLInputElement",
  "HTMLSelectElement",
  "HTMLDialogElement",
  "SVGGElement",
  "ResizeObserver",
  "Event",
  "innerWidth",
  "innerHeight",
  "matchMedia",
]) {
  Object.assign(globalThis, { [name]: /** @type {any} */ (window)[name] });
}
// Panels look at these classes when they are loaded.
const { BoardPanel } = await import("../crates/serve/web/panels/board.js");
const { CurvePanel } = await import("../crates/serve/web/panels/curve.js");
const { Editor } = await import("../crates/serve/web/panels/editor.js");
const { NotesPanel } = await import("../crates/serve/web/panels/notes.js");
const { Picker } = await import("../crates/serve/web/panels/picker.js");
const { SeatPanel } = await import("../crates/serve/web/panels/seat.js");
const { ToolbarPanel } = await import("../crates/serve/web/panels/toolbar.js");
const { TurnsPanel } = await import("../crates/serve/web/panels/turns.js");
const { WorthPanel } = await import("../crates/serve/web/panels/worth.js");

/** @type {GameStore} */
let store;
/** @type {Action[]} */
let heard;
beforeEach(() => {
  document.documentElement.innerHTML = PAGE;
  store = new Store(reduce, initial({ values: true, arrows: false, choices: false }));
  heard = [];
  store.subscribe((_, action) => void heard.push(action), new AbortController().signal);
});

/** @template {HTMLElement} [T=HTMLElement] @param {string} selector @returns {T} */
function find(selector) {
  return /** @type {T} */ (document.querySelector(selector) ?? assert.fail(selector));
}

/** @param {string} selector */
function text(selector) {
  return find(selector).textContent;
}

/** Shows a position. @param {Tree} node @param {object} [change] */
function arrive(node, change) {
  store.dispatch({ type: "going", node });
  store.dispatch({ type: "arrived", view: view(change), animate: false, push: false, signal: never });
}

/** @param {string} move @param {Partial<ReturnType<typeof view>["legal"][number]>} [more] */
function legal(move, more = {}) {
  return {
    move,
    again: false,
    captures: 0,
    finishes: false,
    lands: { side: /** @type {const} */ ("south"), house: Number(move) + 3 },
    ...more,
  };
}

/** @param {string} move @param {number | null} value @param {object} [more] */
function found(move, value, more = {}) {
  return { move, value, outcome: null, again: false, estimate: value, ...more };
}

/** A panel that is destroyed leaves the store and the document alone. @param {{ destroy: () => void }} panel @param {string} root */
function goes(panel, root) {
  const listeners = store.listeners.size;
  panel.destroy();
  assert.ok(store.listeners.size < listeners, "it has unsubscribed");
  const before = find(root).innerHTML;
  arrive(Tree.fromLines([["1"]]).follow(["1"]), { to_move: "north", legal: [legal("4")] });
  store.dispatch({ type: "settled" });
  assert.equal(find(root).innerHTML, before, "it draws nothing any more");
}

const WORTH = '[aria-labelledby="worth-title"]';
const TURNS = '[aria-labelledby="history-title"]';

test("the values: a guess, a proof, the result", () => {
  const panel = new WorthPanel(find(WORTH), store);
  arrive(Tree.fromLines([]), { legal: [legal("1"), legal("2")] });
  store.dispatch({ type: "settled" });
  assert.deepEqual([text("#verdict"), find("#cancel").hidden], ["", true]);
  let known = learn(unknown(), {
    finding: "estimate",
    estimate: 2,
    moves: [found("1", null, { estimate: 2 }), found("2", null, { estimate: -1 })],
  });
  store.dispatch({ type: "learned", known });
  assert.equal(text("#verdict"), "Not known yet. It looks like \u2248 +2 for South.");
  assert.deepEqual([find("#cancel").hidden, find("#go-on").hidden, find("#line").hidden], [false, true, true]);
  known = {
    ...known,
    status: "done",
    value: 6,
    outcome: "win",
    best: ["2"],
    complete: true,
    moves: [found("2", 6, { again: true }), found("1", -4)],
    line: [["2", "1"], ["3"]],
  };
  store.dispatch({ type: "learned", known });
  assert.equal(text("#verdict"), "South wins by 6 with perfect play.");
  assert.equal(text("#best-turn"), "South\u2019s best: 2");
  assert.deepEqual(
    [...document.querySelectorAll("#worths button")].map((one) => one.textContent),
    ["\u2605 +6House 2wins by 6, moves again", "\u22124House 1loses by 4"],
  );
  find('#worths [data-move="1"]').click();
  assert.deepEqual(heard.at(-1), { type: "play", move: "1" });
  find("#perfect-line li:nth-child(2) button").click();
  const last = heard.at(-1);
  assert.deepEqual(last?.type === "go" && last.node?.moves, ["2", "1", "3"]);
  find("#line").click();
  assert.deepEqual(heard.at(-1), { type: "analyse", line: true });
  const result = {
    winner: "south",
    margin: 2,
    seeds: { south: 13, north: 11 },
    left: { south: 0, north: 0 },
    left_is_lost: false,
  };
  arrive(Tree.fromLines([["2"]]).follow(["2"]), { to_move: null, result });
  assert.equal(text("#verdict"), "", "not before the last seed has fallen");
  store.dispatch({ type: "settled" });
  assert.equal(text("#verdict"), "South wins by 2, 13 to 11.");
  goes(panel, WORTH);
});

test("the values: choices of players, and the switches", () => {
  const panel = new WorthPanel(find(WORTH), store);
  arrive(Tree.fromLines([]), { legal: [legal("1")] });
  store.dispatch({ type: "learned", known: { ...unknown(), moves: [found("1", null)] } });
  const levels = [1, 2].map((level) => ({ level, moves: [{ move: "1", chance: level / 4 }] }));
  store.dispatch({ type: "chosen", choices: /** @type {any} */ ({ levels }) });
  assert.equal(find("#worths .bars").getAttribute("aria-label"), "Played by level 1 25 %, level 2 50 %");
  const box = /** @type {HTMLInputElement} */ (find("#show-values"));
  assert.ok(box.checked);
  box.checked = false;
  box.dispatchEvent(new Event("input"));
  assert.deepEqual(heard.at(-1), { type: "prefer", name: "values", on: false });
  assert.equal(find("#worths").childElementCount, 0);
  store.dispatch({ type: "prefer", name: "values", on: true });
  assert.ok(box.checked, "a key may switch it, too");
  panel.destroy();
});

/** @param {"south" | "north"} side @param {string} move @param {number} turn @param {object} [more] */
function played(side, move, turn, more = {}) {
  return { side, move, turn, again: false, captured: 0, ...more };
}

test("the turns: rows, variations, marks, losses", () => {
  const panel = new TurnsPanel(find(TURNS), store);
  const root = Tree.fromLines([
    ["2", "1", "3"],
    ["2", "4"],
  ]);
  Object.assign(root.follow(["2"]), { mark: "!", comment: "well seen" });
  arrive(root.follow(["2", "1"]));
  store.dispatch({
    type: "played",
    line: ["2", "1", "3"],
    played: [
      played("south", "2", 1, { again: true }),
      played("south", "1", 1),
      played("north", "3", 2, { captured: 4 }),
    ],
  });
  store.dispatch({ type: "played", line: ["2", "4"], played: [played("south", "2", 1), played("south", "4", 1)] });
  const rows = () =>
    [...document.querySelectorAll("#history > div")].map((one) => `${one.className}: ${one.textContent}`);
  assert.deepEqual(rows(), [
    "turn: Start",
    "turn: 1. South2!well seen1",
    "variation: 1. South4",
    "turn: 2. North3\u00d7",
  ]);
  assert.equal(find('#history [aria-current="step"]').textContent, "1");
  assert.equal(find("#history > .turn:last-child button").getAttribute("aria-label"), "House 3, captures 4");
  const review = { losses: new Map([["2,1", 3]]), worst: new Set(["2,1"]), ready: true };
  store.dispatch({ type: "reviewed", review, values: new Map([["2,1", -2]]) });
  assert.equal(text("#history .turn:nth-child(2) .worth"), "\u22123\u22122");
  assert.equal(find("#practise").hidden, false);
  assert.ok(find("#promote").hidden, "it is the main line");
  find("#history .variation button").click();
  const last = heard.at(-1);
  assert.deepEqual(last?.type === "go" && last.node?.moves, ["2", "4"]);
  arrive(root.follow(["2", "4"]));
  assert.equal(find("#promote").hidden, false);
  find("#promote").click();
  assert.deepEqual(root.lines, [
    ["2", "4"],
    ["2", "1", "3"],
  ]);
  assert.ok(find("#promote").hidden);
  find("#remove").click();
  assert.deepEqual(root.lines, [["2", "1", "3"]]);
  goes(panel, TURNS);
});

test("the board: choices, marks, a click, a hint, and nothing of it for a machine", () => {
  const panel = new BoardPanel(find("#board"), store);
  arrive(Tree.fromLines([]), {
    legal: [legal("1"), legal("2", { lands: { side: "south", house: null }, again: true })],
  });
  assert.deepEqual(heard.at(-1), { type: "settled" }, "without motions it is there at once");
  const open = () =>
    [...document.querySelectorAll("#board .house:not([aria-disabled])")].map((one) => one.getAttribute("aria-label"));
  assert.deepEqual(open(), [
    "South house 1, 3 seeds, last seed in house 4",
    "South house 2, 3 seeds, last seed in the store, moves again",
  ]);
  find('[data-pit="south 2"]').click();
  assert.deepEqual(heard.at(-1), { type: "play", move: "2" });
  find('[data-pit="south 2"]').dispatchEvent(new Event("pointerenter"));
  assert.deepEqual(heard.at(-1), { type: "status", text: "House 2: last seed in the store, moves again." });
  const known = { ...unknown(), value: 4, best: ["2"], moves: [found("2", 4), found("1", -2)] };
  store.dispatch({ type: "learned", known });
  assert.deepEqual(
    [...document.querySelectorAll(".chip")].map((one) => one.textContent),
    ["\u2605 +4", "\u22122"],
  );
  store.dispatch({ type: "learned", known: { ...known, status: "done" } });
  assert.match(open()[1] ?? "", /, wins by 4$/);
  store.dispatch({ type: "prefer", name: "values", on: false });
  assert.equal(document.querySelectorAll(".chip").length, 0);
  assert.doesNotMatch(open()[1] ?? "", /wins/, "labels give nothing away");
  store.dispatch({ type: "opened", address: { ...store.state, north: "level:1" }, fresh: false });
  arrive(store.state.node.play("1"), { to_move: "north", legal: [legal("1")] });
  assert.deepEqual(open(), []);
  goes(panel, "#board");
});

test("the board: a position that was left while it was animated is not settled", async () => {
  const panel = new BoardPanel(find("#board"), store);
  arrive(Tree.fromLines([]));
  const left = new AbortController();
  const motions = [{ kind: /** @type {const} */ ("pickup"), side: /** @type {const} */ ("south"), house: 1, seeds: 3 }];
  heard.length = 0;
  store.dispatch({ type: "arrived", view: view({ motions }), animate: true, push: false, signal: left.signal });
  left.abort();
  await new Promise((resume) => setTimeout(resume, 20));
  assert.ok(!heard.some(({ type }) => type === "settled"));
  panel.destroy();
  assert.equal(find("#board").childElementCount, 0);
});

test("the toolbar goes where it says, and disables buttons that would do nothing", () => {
  const panel = new ToolbarPanel(find(".toolbar"), store);
  const root = Tree.fromLines([["1", "2"]]);
  arrive(root.follow(["1"]), { legal: [legal("1"), { ...legal("1"), move: "swap", lands: null }] });
  assert.equal(find("#swap").hidden, false);
  /** @type {[string, unknown][]} */
  const steps = [
    ["#first", root],
    ["#back", root],
    ["#forward", root.follow(["1", "2"])],
    ["#last", root.follow(["1", "2"])],
  ];
  for (const [button, node] of steps) {
    find(button).click();
    const last = heard.at(-1);
    assert.equal(last?.type === "go" && last.node, node, button);
  }
  arrive(root.follow(["1", "2"]), { to_move: null });
  const disabled = () => [...document.querySelectorAll(".toolbar button:disabled")].map(({ id }) => id);
  assert.deepEqual(disabled(), ["forward", "last", "play-best"]);
  assert.equal(find("#rematch").hidden, false);
  store.dispatch({ type: "opened", address: { ...store.state, node: root }, fresh: true });
  store.dispatch({ type: "closed" });
  assert.deepEqual(disabled(), ["first", "back", "forward", "last", "undo", "play-best", "share"]);
  panel.destroy();
});

test("notes go to the move, and typing is not disturbed by the solver", () => {
  const panel = new NotesPanel(find(".notes"), store);
  const node = Tree.fromLines([["1"]]).follow(["1"]);
  arrive(node);
  find("#good").click();
  assert.deepEqual([node.mark, find("#good").getAttribute("aria-pressed")], ["!", "true"]);
  find("#good").click();
  assert.equal(node.mark, "");
  const field = /** @type {HTMLInputElement} */ (find("#comment"));
  field.value = " a {note} ";
  store.dispatch({ type: "learned", known: { ...unknown(), value: 2 } });
  assert.equal(field.value, " a {note} ");
  field.dispatchEvent(new Event("change"));
  assert.equal(node.comment, "a note");
  panel.destroy();
});

test("the curve has a dot for each value, and the worst ones stand out", () => {
  const panel = new CurvePanel(find("#curve"), store);
  arrive(Tree.fromLines([["1", "2"]]).follow(["1"]));
  const review = { losses: new Map(), worst: new Set(["1"]), ready: false };
  store.dispatch({
    type: "reviewed",
    review,
    values: new Map([
      ["", 4],
      ["1", -6],
    ]),
  });
  assert.deepEqual(
    [...document.querySelectorAll("#curve circle")].map((one) => one.getAttribute("class")),
    ["dot", "worst"],
  );
  assert.equal(find("#curve svg").getAttribute("aria-label"), "Value curve of 2 moves, \u22126 for South here");
  goes(panel, "#curve");
});

test("a seat follows the board that is turned, and the players who have swapped", () => {
  const panel = new SeatPanel(find("#seat-near"), store);
  store.dispatch({ type: "opened", address: { ...store.state, north: "level:3" }, fresh: true });
  arrive(Tree.fromLines([]));
  assert.deepEqual([text("#seat-near"), find("#seat-near").className], ["South \u2013 you 0", "seat south on"]);
  store.dispatch({ type: "flip" });
  assert.deepEqual(
    [text("#seat-near"), find("#seat-near").className],
    ["North \u2013 computer, level 3 0", "seat north"],
  );
  arrive(Tree.fromLines([["1"]]).follow(["1"]), { swapped: true });
  assert.equal(text("#seat-near"), "North \u2013 you 0");
  panel.destroy();
});

test("the editor tells seeds that are too many, and keeps rows and text together", async () => {
  /** @type {unknown[]} */
  const applied = [];
  const editor = new Editor(find("#editor"), async (setup) => {
    applied.push(setup);
    if (setup.start.includes("bad")) throw new Error("a bad position");
  });
  const { board } = view();
  editor.open(board, "north", 24, false);
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (find(`[aria-label="${name}"]`));
  const area = /** @type {HTMLInputElement} */ (find("#editor-text"));
  field("South house 2").value = "5";
  field("South house 2").dispatchEvent(new Event("input", { bubbles: true }));
  assert.equal(text("#editor-total"), "26 of 24 seeds: 2 too many.");
  assert.ok(/** @type {HTMLButtonElement} */ (find("#editor-apply")).disabled);
  assert.equal(area.value, "3,3,3,3,0|3,5,3,3,0", "the side to move first");
  area.value = "1,1,1,1,10|1,1,1,1,6";
  area.dispatchEvent(new Event("input", { bubbles: true }));
  assert.deepEqual([field("North store").value, field("South store").value], ["10", "6"]);
  await editor.submit();
  assert.deepEqual(applied, [{ start: "1,1,1,1,10|1,1,1,1,6", free: false, first: "north" }]);
  area.value = "bad";
  await editor.submit();
  assert.deepEqual([find("#editor-fault").hidden, text("#editor-fault")], [false, "a bad position"]);
});

test("the picker starts the chosen game", async () => {
  const games = /** @type {any} */ ({
    games: [
      { name: "kalah", title: "Kalah", about: "" },
      { name: "s-kalaha", title: "S-Kalaha", about: "" },
    ],
    options: [
      { name: "relay", title: "Relay", about: "", excludes: ["s-kalaha"] },
      { name: "pie", title: "Pie", about: "", excludes: [] },
    ],
    opponents: [
      { name: "human", title: "You", about: "" },
      { name: "level:3", title: "Level 3", about: "plays" },
      { name: "level:5", title: "Level 5", about: "plays" },
    ],
    limits: { houses: [1, 16], seeds: [1, 100] },
  });
  /** @type {unknown[]} */
  const started = [];
  const ask = { rules: async () => ["A rule."], fair: async () => /** @type {any} */ ({ start: "a fair one" }) };
  const picker = new Picker(find("#picker"), games, ask, (choice) => started.push(choice));
  const box = (/** @type {string} */ value) => /** @type {HTMLInputElement} */ (find(`#picker [value="${value}"]`));
  picker.open({ game: "kalah(4,3,relay)", south: "human", north: "human" });
  assert.ok(box("relay").checked && box("computer").checked);
  box("kalah").checked = false;
  box("s-kalaha").checked = true;
  box("s-kalaha").dispatchEvent(new Event("input", { bubbles: true }));
  assert.deepEqual([box("relay").checked, box("relay").disabled, box("pie").disabled], [false, true, false]);
  await new Promise((resume) => setTimeout(resume, 0));
  assert.equal(text("#picker-rules"), "A rule.");
  for (const how of ["fair", "start", "cancel"]) {
    picker.dialog.returnValue = how;
    picker.dialog.dispatchEvent(new Event("close"));
    await new Promise((resume) => setTimeout(resume, 0));
  }
  const choice = { game: "s-kalaha(4,3)", south: "human", north: "level:3" };
  assert.deepEqual(started, [
    { ...choice, start: "a fair one" },
    { ...choice, start: null },
  ]);
});
