// The store, its reducer and the session, with an API of the test's own.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { ApiError } from "../crates/serve/web/backend.js";
import { pause } from "../crates/serve/web/pause.js";
import { Session } from "../crates/serve/web/session.js";
import { initial, lastChoice, machineOf, reduce } from "../crates/serve/web/state.js";
import { Store } from "../crates/serve/web/store.js";
import { Tree } from "../crates/serve/web/tree.js";
import { view } from "./views.js";

/** @import { Action, GameStore, Query } from "../crates/serve/web/types.js" */

const never = new AbortController().signal;
const PREFERENCES = { values: true, arrows: false, choices: false };

/** Lets everything that can go on go on. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

test("listeners hear of actions in order, those of other listeners included", () => {
  const store = new Store(
    (/** @type {number} */ sum, /** @type {{ type: string, add: number }} */ { add }) => sum + add,
    0,
  );
  /** @type {string[]} */
  const heard = [];
  store.subscribe((sum, { type }) => {
    heard.push(`one ${type} ${sum}`);
    if (type === "first") store.dispatch({ type: "second", add: 10 });
  }, never);
  store.subscribe((sum, { type }) => void heard.push(`two ${type} ${sum}`), never);
  store.dispatch({ type: "first", add: 1 });
  assert.deepEqual(heard, ["one first 1", "two first 1", "one second 11", "two second 11"]);
});

test("a listener that fails does not keep the store from the next action", () => {
  const store = new Store((/** @type {number} */ sum) => sum + 1, 0);
  const fails = new AbortController();
  store.subscribe(() => assert.fail("on purpose"), fails.signal);
  assert.throws(() => store.dispatch({ type: "one" }), /on purpose/);
  fails.abort();
  store.dispatch({ type: "two" });
  assert.equal(store.state, 2);
});

test("an aborted listener hears nothing more, not even of the action under way", () => {
  const store = new Store((/** @type {number} */ sum) => sum + 1, 0);
  const [one, two] = [new AbortController(), new AbortController()];
  let heard = 0;
  store.subscribe(() => two.abort(), one.signal);
  store.subscribe(() => {
    heard += 1;
  }, two.signal);
  store.dispatch({ type: "any" });
  one.abort();
  assert.deepEqual([heard, store.listeners.size], [0, 0]);
});

test("a watcher draws at once, and again only when a field has changed", async () => {
  const store = new Store(
    (/** @type {{ a: number, b: number }} */ state, /** @type {{ type: string }} */ { type }) => ({
      ...state,
      ...(type === "a" ? { a: state.a + 1 } : {}),
    }),
    { a: 0, b: 0 },
  );
  /** @type {number[]} */
  const drawn = [];
  store.watch(["a"], ({ a }) => void drawn.push(a), never);
  const next = store.next("a");
  store.dispatch({ type: "b" });
  store.dispatch({ type: "a" });
  await next;
  assert.deepEqual(drawn, [0, 1]);
  assert.equal(store.listeners.size, 1, "waiting once leaves no listener");
});

test("a pause ends with its signal", async () => {
  const abort = new AbortController();
  const long = pause(60_000, abort.signal);
  abort.abort();
  await long;
  await pause(60_000, abort.signal);
});

/** @param {Action[]} actions */
function after(...actions) {
  return actions.reduce(reduce, initial(PREFERENCES));
}

/** @param {Partial<import("../crates/serve/web/types.js").View>} [change] @returns {Action} */
function arrived(change) {
  return { type: "arrived", view: view(change), animate: false, push: false, signal: never };
}

test("the findings go with their position, the values of the line stay", () => {
  const root = Tree.fromLines([["3"]]);
  const known = { ...nothingKnown(), value: 8, moves: [move("3", 8), move("1", -4), move("2", null)] };
  let state = after({ type: "going", node: root }, arrived(), { type: "settled" }, { type: "learned", known });
  assert.deepEqual(
    [...state.values],
    [
      ["", 8],
      ["3", 8],
      ["1", -4],
    ],
  );
  state = reduce(state, { type: "learned", known: { ...known, status: "done" } });
  assert.equal(reduce(state, { type: "learned", known }).values, state.values, "nothing new is no change");
  state = reduce(reduce(state, { type: "going", node: root.play("3") }), arrived({ to_move: "north" }));
  assert.deepEqual([state.known, state.choices, state.arrows, state.settled], [null, null, [], false]);
  state = reduce(state, { type: "learned", known: { ...known, value: -8, moves: [] } });
  assert.equal(state.values.get("3"), 8, "always South's margin");
});

function nothingKnown() {
  return {
    status: /** @type {const} */ ("working"),
    message: "",
    estimate: null,
    value: null,
    outcome: null,
    words: "",
    best: null,
    moves: [],
    complete: false,
    nodes: 0,
    seconds: 0,
    widest: {},
  };
}

/** @param {string} name @param {number | null} value */
function move(name, value) {
  return { move: name, value, outcome: null, again: false, estimate: value };
}

test("another game forgets, the same one does not", () => {
  const node = Tree.fromLines([["3"]]).follow(["3"]);
  const last = { side: /** @type {const} */ ("south"), move: "3", again: true, captured: 0, turn: 1 };
  const state = after({ type: "going", node }, arrived({ last }), { type: "settled" });
  assert.deepEqual([...state.played], [["3", last]]);
  const address = {
    game: "kalah(6,4)",
    start: null,
    free: false,
    first: /** @type {const} */ ("south"),
    node,
    flip: true,
    south: "human",
    north: "human",
  };
  assert.equal(reduce(state, { type: "opened", address, fresh: false }).played, state.played);
  const fresh = reduce(state, { type: "opened", address, fresh: true });
  assert.deepEqual([fresh.played.size, fresh.view, fresh.flip], [0, null, true]);
});

test("switching something off takes it off", () => {
  const arrow = { kind: /** @type {const} */ ("threat"), path: [] };
  const best = { kind: /** @type {const} */ ("best"), path: [] };
  const state = after(
    arrived(),
    { type: "prefer", name: "arrows", on: true },
    { type: "arrow", arrow: best },
    { type: "arrow", arrow },
  );
  assert.deepEqual(
    state.arrows.map(({ kind }) => kind),
    ["threat", "best"],
    "the best turn is drawn over the threat",
  );
  assert.deepEqual(reduce(state, { type: "prefer", name: "arrows", on: false }).arrows, []);
  assert.equal(reduce(state, { type: "prefer", name: "values", on: false }).preferences.values, false);
});

test("a machine moves where nothing was played yet; undo goes back to the visitor's choice", () => {
  const node = Tree.fromLines([["3", "1"]]).follow(["3"]);
  const played = [
    { side: "south", move: "3" },
    { side: "north", move: "1" },
  ].map((one) => ({ ...one, side: /** @type {"south" | "north"} */ (one.side), again: false, captured: 0, turn: 1 }));
  let state = after({ type: "going", node }, arrived({ to_move: "north" }), {
    type: "played",
    line: ["3", "1"],
    played,
  });
  state = { ...state, north: "level:3" };
  assert.equal(machineOf(state), null, "play has gone on from here");
  assert.equal(machineOf({ ...state, node: Tree.fromLines([["4"]]).follow(["4"]) }), "level:3");
  assert.equal(lastChoice({ ...state, node: node.follow(["1"]) }).moves.length, 0, "over the machine's move");
});

/** An API whose answers the test gives. */
class Api {
  constructor() {
    /** @type {{ query: Query, signal?: AbortSignal, answer: (change?: object) => void, refuse: (fault: Error) => void }[]} */
    this.asked = [];
    /** @type {Query[]} */
    this.records = [];
    /** @type {((query: Query, opponent: string) => Promise<any>)} */
    this.reply = () => new Promise(() => {});
    this.position = (/** @type {Query} */ query, /** @type {AbortSignal | undefined} */ signal) =>
      new Promise((resolve, reject) => {
        this.asked.push({ query, signal, answer: (change) => resolve(view(change)), refuse: reject });
      });
    this.record = async (/** @type {Query} */ query) => {
      this.records.push(query);
      const moves = query.moves.map((move, i) => ({
        side: i % 2 ? "north" : "south",
        move,
        again: false,
        captured: 0,
        turn: i + 1,
      }));
      return /** @type {any} */ ({ record: "", moves });
    };
  }

  get last() {
    return this.asked[this.asked.length - 1];
  }
}

/** @type {GameStore} */
let store;
/** @type {Api} */
let api;
/** @type {string[]} */
let heard;
beforeEach(() => {
  store = new Store(reduce, initial({ ...PREFERENCES, values: false }));
  api = new Api();
  new Session(store, /** @type {any} */ (api));
  heard = [];
  store.subscribe((_, { type }) => {
    heard.push(type);
    if (type === "arrived") store.dispatch({ type: "settled" });
  }, new AbortController().signal);
});

test("a position that was left before it arrived is not shown", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&moves=2" });
  await settle();
  const first = api.last;
  store.dispatch({ type: "go", node: store.state.node.parent });
  await settle();
  assert.ok(first.signal?.aborted, "the request is cancelled");
  first.answer({ position: "first" });
  api.last.answer({ position: "second" });
  await settle();
  assert.equal(store.state.view?.position, "second");
  assert.equal(heard.filter((type) => type === "arrived").length, 1);
});

test("a link is opened with one request for the position and one for each line", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&moves=2,1,3&at=1&lines=2,1,3;2,4" });
  await settle();
  api.last.answer({ last: { side: "south", move: "2", again: false, captured: 0, turn: 1 } });
  await settle();
  assert.deepEqual(
    api.asked.map(({ query }) => query.moves),
    [["2"]],
  );
  assert.deepEqual(
    api.records.map(({ moves }) => moves),
    [
      ["2", "1", "3"],
      ["2", "4"],
    ],
  );
  assert.deepEqual([...store.state.played.keys()].sort(), ["2", "2,1", "2,1,3", "2,4"]);
});

test("a move that comes with its position is not asked for again", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&moves=2" });
  await settle();
  api.last.answer({ last: { side: "south", move: "2", again: false, captured: 0, turn: 1 } });
  await settle();
  assert.deepEqual(api.records, []);
  store.dispatch({ type: "go", node: store.state.node.follow(["1", "3"]) });
  await settle();
  assert.deepEqual(
    api.records.map(({ moves }) => moves),
    [["2", "1", "3"]],
    "a line that is followed at once",
  );
});

test("a click asks for the position after it and nothing else", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)" });
  await settle();
  api.last.answer({ legal: [legal("2")] });
  await settle();
  store.dispatch({ type: "play", move: "2" });
  await settle();
  api.last.answer({ to_move: "north", last: { side: "south", move: "2", again: false, captured: 0, turn: 1 } });
  await settle();
  assert.deepEqual(
    api.asked.map(({ query }) => query.moves),
    [[], ["2"]],
  );
  assert.deepEqual(api.records, []);
  assert.deepEqual(store.state.node.moves, ["2"]);
});

/** @param {string} move */
function legal(move) {
  return {
    move,
    again: false,
    captures: 0,
    finishes: false,
    lands: { side: /** @type {const} */ ("south"), house: 3 },
  };
}

test("a move that cannot be played is refused and said", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)" });
  await settle();
  api.last.answer({ legal: [legal("2")] });
  await settle();
  store.dispatch({ type: "play", move: "4" });
  await settle();
  assert.ok(heard.includes("refused"));
  assert.equal(store.state.status, "House 4 cannot be played now.");
  assert.equal(api.asked.length, 1);
});

test("a link with a bad move is cut off there", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&moves=2,9,1" });
  await settle();
  api.last.refuse(new ApiError(400, "move 2, 9, is illegal", null, 0, 1));
  await settle();
  api.last.answer();
  await settle();
  assert.deepEqual(store.state.node.moves, ["2"]);
  assert.deepEqual(store.state.node.children, []);
  assert.match(store.state.fault ?? "", /shown up to there\. \(Move 2, 9, is illegal\)/);
});

test("without an answer the board stays; without a board everything is closed", async () => {
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)" });
  await settle();
  api.last.refuse(new ApiError(0, "the server cannot be reached", null, 3));
  await settle();
  assert.deepEqual([store.state.closed, store.state.fault], [true, "The server cannot be reached"]);
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)" });
  await settle();
  api.last.answer({ legal: [legal("2")], position: "kept" });
  await settle();
  assert.deepEqual([store.state.closed, store.state.fault], [false, null]);
  store.dispatch({ type: "play", move: "2" });
  await settle();
  api.last.refuse(new Error("no"));
  await settle();
  assert.deepEqual([store.state.node.moves, store.state.view?.position, store.state.fault], [[], "kept", "no"]);
});

test("a machine that is busy is asked again", async () => {
  let asked = 0;
  api.reply = async () => {
    asked += 1;
    if (asked === 1) throw new ApiError(503, "busy", null, 0.001);
    return { move: "1" };
  };
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&south=level:2" });
  await settle();
  api.last.answer({ legal: [legal("1")] });
  for (let turns = 0; turns < 50 && api.asked.length < 2; turns += 1) await pause(2, never);
  assert.equal(asked, 2);
  assert.deepEqual(api.last.query.moves, ["1"]);
  assert.match(store.state.status, /computer, level 2\) is thinking/);
});

test("a machine's reply to a position that was left is not played", async () => {
  /** @type {(reply: object) => void} */
  let answer = () => {};
  api.reply = () => new Promise((resolve) => (answer = resolve));
  store.dispatch({ type: "open", fragment: "#game=kalah(4,3)&moves=1&north=level:2" });
  await settle();
  api.last.answer({ to_move: "north", legal: [legal("1")] });
  await settle();
  store.dispatch({ type: "undo" });
  await settle();
  answer({ move: "1" });
  api.last.answer();
  await settle();
  assert.deepEqual(
    api.asked.map(({ query }) => query.moves),
    [["1"], []],
  );
  assert.deepEqual(store.state.node.moves, []);
});

test("a session that is destroyed asks for nothing more", async () => {
  const session = new Session(store, /** @type {any} */ (new Api()));
  const listeners = store.listeners.size;
  session.destroy();
  assert.equal(store.listeners.size, listeners - 1);
  assert.ok(session.visit.signal.aborted && session.game.signal.aborted);
});
