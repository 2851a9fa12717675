// The work on a position: the analysis, choices and arrows, with a server of the test's own.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Evaluation } from "../crates/serve/web/evaluation.js";
import { Hints } from "../crates/serve/web/hints.js";
import { initial, reduce } from "../crates/serve/web/state.js";
import { Store } from "../crates/serve/web/store.js";
import { Tree } from "../crates/serve/web/tree.js";
import { view } from "./views.js";

/** @import { Action, GameStore, Preferences, Query } from "../crates/serve/web/types.js" */

const never = new AbortController().signal;
const settle = () => new Promise((resume) => setTimeout(resume, 5));

/** Frames that the test draws. @type {Map<number, () => void>} */
const frames = new Map();
let frame = 0;
Object.assign(globalThis, {
  requestAnimationFrame: (/** @type {() => void} */ draw) => {
    frame += 1;
    frames.set(frame, draw);
    return frame;
  },
  cancelAnimationFrame: (/** @type {number} */ id) => frames.delete(id),
});
function nextFrame() {
  const due = [...frames.values()];
  frames.clear();
  for (const draw of due) draw();
}

/** Streams that the server was asked for. @type {{ url: URL, signal: AbortSignal, send: (finding: object) => void, end: () => void }[]} */
let streams = [];
Object.assign(globalThis, {
  fetch: async (/** @type {string} */ path, /** @type {{ signal: AbortSignal }} */ { signal }) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const send = (/** @type {object} */ finding) =>
      void writer.write(new TextEncoder().encode(`data: ${JSON.stringify(finding)}\n\n`));
    signal.addEventListener("abort", () => writer.abort(signal.reason).catch(() => null));
    streams.push({ url: new URL(path, "http://server/"), signal, send, end: () => void writer.close() });
    return new Response(readable);
  },
});

/** @type {GameStore} */
let store;
/** @type {Action[]} */
let heard;
beforeEach(() => {
  frames.clear();
  streams = [];
  heard = [];
});

/** @param {Partial<Preferences>} [preferences] */
function begin(preferences = {}) {
  store = new Store(reduce, initial({ values: true, arrows: false, choices: false, ...preferences }));
  store.subscribe((_, action) => void heard.push(action), never);
}

/** @param {string[]} moves */
function arrive(...moves) {
  store.dispatch({ type: "going", node: Tree.fromLines([moves]).follow(moves) });
  store.dispatch({ type: "arrived", view: view(), animate: false, push: false, signal: never });
  store.dispatch({ type: "settled" });
}

const VALUE = { finding: "value", value: 4, outcome: "win", words: "", best: ["2", "1"], nodes: 9, seconds: 0.1 };

test("an analysis is drawn once a frame, and ends with its position", async () => {
  begin();
  new Evaluation(store);
  arrive();
  await settle();
  nextFrame();
  const [first] = streams;
  assert.match(first.url.pathname, /api\/v1\/analysis$/);
  for (const nodes of [1, 2, 3]) first.send({ ...VALUE, nodes });
  await settle();
  const learned = () => heard.flatMap((action) => (action.type === "learned" ? [action.known.nodes] : []));
  assert.deepEqual(learned(), [0]);
  nextFrame();
  assert.deepEqual(learned(), [0, 3]);
  first.send({ ...VALUE, nodes: 4 });
  await settle();
  arrive("2");
  await settle();
  assert.ok(first.signal.aborted);
  nextFrame();
  assert.deepEqual(learned(), [0, 3, 0], "news of a position that was left is not drawn");
  assert.equal(streams.length, 2);
  assert.equal(streams[1].url.searchParams.get("moves"), "2");
});

test("an analysis can be stopped, and starts again with the values", async () => {
  begin();
  const evaluation = new Evaluation(store);
  arrive();
  await settle();
  streams[0].send(VALUE);
  await settle();
  store.dispatch({ type: "stop" });
  await settle();
  assert.ok(streams[0].signal.aborted);
  assert.deepEqual([store.state.known?.status, store.state.known?.value], ["cancelled", 4]);
  assert.equal(store.state.announcement, "Analysis stopped.");
  store.dispatch({ type: "prefer", name: "values", on: false });
  await settle();
  assert.equal(streams.length, 1, "hidden values are not worked out");
  store.dispatch({ type: "prefer", name: "values", on: true });
  await settle();
  assert.equal(streams.length, 2);
  evaluation.destroy();
  assert.ok(streams[1].signal.aborted);
});

test("nothing is worked out for a machine that is to move, or in practice", async () => {
  begin();
  new Evaluation(store);
  store.dispatch({ type: "opened", address: { ...store.state, south: "level:1" }, fresh: true });
  arrive();
  await settle();
  assert.equal(streams.length, 0);
  store.dispatch({ type: "opened", address: { ...store.state, south: "human" }, fresh: true });
  store.dispatch({ type: "practice", practice: { judge: async () => true } });
  arrive();
  await settle();
  assert.equal(streams.length, 0);
  store.dispatch({ type: "practice", practice: null });
  await settle();
  assert.equal(streams.length, 1);
});

/** An API that records its requests. */
function api() {
  /** @type {{ query: Query, next: string[], signal?: AbortSignal }[]} */
  const asked = [];
  const motions = async (
    /** @type {Query} */ query,
    /** @type {string[]} */ next,
    /** @type {AbortSignal | undefined} */ signal,
  ) => {
    asked.push({ query, next, signal });
    return next.map((house) => ({
      kind: /** @type {const} */ ("sow"),
      side: /** @type {const} */ ("south"),
      house: Number(house),
      seeds: 1,
    }));
  };
  let chosen = 0;
  const choices = async () => {
    chosen += 1;
    return /** @type {any} */ ({ levels: [] });
  };
  return { asked, motions, choices, chosen: () => chosen };
}

test("an arrow takes one request for its whole turn, however often the value is told", async () => {
  begin({ arrows: true });
  const asks = api();
  const hints = new Hints(store, asks);
  arrive();
  await settle();
  const known = {
    ...VALUE,
    status: /** @type {const} */ ("working"),
    message: "",
    estimate: 4,
    moves: [],
    complete: false,
    widest: {},
  };
  for (const nodes of [1, 2, 3]) store.dispatch({ type: "learned", known: { ...known, nodes } });
  await settle();
  store.dispatch({ type: "learned", known });
  await settle();
  assert.deepEqual(
    asks.asked.map(({ next }) => next),
    [["2", "1"]],
  );
  assert.deepEqual(
    store.state.arrows.map(({ kind, path }) => [kind, path.length]),
    [["best", 2]],
  );
  // The threat is the best turn of the other side if it were to move.
  assert.equal(streams[0].url.searchParams.get("pass"), "true");
  streams[0].send({ ...VALUE, best: ["3"] });
  await settle();
  assert.deepEqual(
    asks.asked.map(({ query, next }) => [query.pass ?? false, next]),
    [
      [false, ["2", "1"]],
      [true, ["3"]],
    ],
  );
  assert.deepEqual(
    store.state.arrows.map(({ kind }) => kind),
    ["threat", "best"],
  );
  store.dispatch({ type: "prefer", name: "arrows", on: false });
  assert.deepEqual(store.state.arrows, []);
  hints.destroy();
  assert.equal(store.listeners.size, 1);
});

test("a threat to a position that was left is not drawn", async () => {
  begin({ arrows: true });
  new Hints(store, api());
  arrive();
  await settle();
  arrive("1");
  await settle();
  assert.ok(streams[0].signal.aborted);
  assert.equal(streams[1].url.searchParams.get("moves"), "1");
  assert.deepEqual(store.state.arrows, []);
});

test("choices are asked for once a position, and when they are switched on", async () => {
  begin();
  const asks = api();
  new Hints(store, asks);
  arrive();
  await settle();
  assert.equal(asks.chosen(), 0);
  store.dispatch({ type: "prefer", name: "choices", on: true });
  await settle();
  assert.deepEqual([asks.chosen(), store.state.choices !== null], [1, true]);
  arrive("1");
  await settle();
  assert.equal(asks.chosen(), 2);
});
