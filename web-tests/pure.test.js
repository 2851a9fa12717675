// The modules that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { best, learn, unknown } from "../crates/serve/web/analysis.js";
import { plot } from "../crates/serve/web/curve.js";
import { numbers, tally, text } from "../crates/serve/web/editor.js";
import { parseEvents } from "../crates/serve/web/events.js";
import { compose, parse } from "../crates/serve/web/game.js";
import { DRAWN, heap } from "../crates/serve/web/heap.js";
import { layout } from "../crates/serve/web/layout.js";
import { changed, effect, key, pits, same, seedsIn } from "../crates/serve/web/pits.js";
import { endOf, mistakes } from "../crates/serve/web/review.js";
import { plant } from "../crates/serve/web/tree.js";
import { read, rootOf, write } from "../crates/serve/web/url.js";
import * as words from "../crates/serve/web/words.js";
import { marks, verdict } from "../crates/serve/web/worth.js";

test("a tree gives its lines back, the main line first", () => {
  const lines = [["3", "6", "2"], ["3", "5"], ["1"]];
  const root = plant(lines);
  assert.deepEqual(root.lines, lines);
  const side = root.follow(["3", "5"]);
  assert.deepEqual(side.moves, ["3", "5"]);
  assert.equal(root.follow(["3"]).children.length, 2, "following a known line adds nothing");
  side.promote();
  assert.deepEqual(root.lines[0], ["3", "5"]);
  assert.equal(side.remove(), root.follow(["3"]));
  assert.deepEqual(root.lines, [["3", "6", "2"], ["1"]]);
});

test("siblings go round", () => {
  const first = plant([["1"], ["2"], ["3"]]).children[0];
  assert.equal(first.sibling(-1).move, "3");
  assert.equal(first.sibling(1).sibling(1).sibling(1), first);
});

test("an address gives the same view back", () => {
  const root = plant([["3", "6", "2", "x"], ["3", "5"]]);
  const states = [root, root.follow(["3"]), root.follow(["3", "5"]), root.follow(["3", "6"])].map((node) => ({
    game: "kalah(6,4,relay,pie)",
    start: "4,4,4,4,4,4,0|4,4,4,4,4,4,0",
    free: true,
    node,
    flip: true,
    south: "level:3",
    north: "human",
  }));
  for (const state of states) {
    const back = read(write(state));
    assert.deepEqual(rootOf(back.node).lines, root.lines);
    assert.deepEqual(back.node.moves, state.node.moves);
    assert.deepEqual({ ...back, node: null }, { ...state, node: null });
  }
});

test("an address with nonsense in it is read as far as it makes sense", () => {
  const { game, node, south } = read("#moves=3,<b>,999,6&at=-4&south=");
  assert.equal(game, "kalah(6,4)");
  assert.deepEqual(node.moves, ["3", "6"]);
  assert.equal(south, "human");
});

test("events are cut where they end", () => {
  const { events, rest } = parseEvents('event: bounds\ndata: {"lower":-4}\n\n: a comment\n\ndata: 1\r\ndata: 2\r\n\r\nevent: val');
  assert.deepEqual(events, [
    { name: "bounds", data: '{"lower":-4}' },
    { name: "message", data: "1\n2" },
  ]);
  assert.equal(rest, "event: val");
});

test("an analysis is learned event by event", () => {
  let known = learn(unknown(), "bounds", { lower: -4, upper: 12, nodes: 10, seconds: 0.5 });
  assert.deepEqual([known.lower, known.upper, known.nodes], [-4, 12, 10]);
  known = learn(known, "move", { move: "2", value: null, lower: 1, upper: 6, again: false });
  known = learn(known, "move", { move: "3", value: 8, again: true });
  known = learn(known, "move", { move: "1", value: 8, again: false });
  assert.deepEqual(known.moves.map(({ move }) => move), ["3", "1", "2"]);
  assert.deepEqual(best(known), ["3", "1"]);
  assert.equal(verdict(known, "south"), "Working it out\u2026");
  known = learn(known, "value", { value: 8, words: "South wins by 8 with perfect play." });
  assert.equal(verdict(known, "south"), "South wins by 8 with perfect play.");
  const mark = marks(known, "south").get("south 2");
  assert.deepEqual(mark, { text: "+1\u2026+6", tone: "open", best: false });
  known = learn(known, "done", { value: 8, moves: [{ house: 3, value: 8, again: true }], best_turn: ["3", "6"] });
  assert.equal(known.status, "done");
  assert.deepEqual(known.bestTurn, ["3", "6"]);
});

test("an unknown value is unknown, and not 0", () => {
  const known = learn(unknown(), "done", { value: null, moves: [{ house: 1, value: null, lower: -2, upper: 0, again: false }] });
  assert.equal(known.value, null);
  assert.deepEqual(best(known), []);
  assert.equal(verdict(known, "north"), "Not known exactly.");
});

test("games are taken apart and put together", () => {
  for (const name of ["kalah(6,4)", "s-kalaha(6,3)", "kalah(16,100,relay,pie)"]) {
    assert.equal(compose(parse(name) ?? assert.fail(name)), name);
  }
  assert.equal(parse("kalah(6)"), null);
});

/** @type {import("../crates/serve/web/api.js").Seeds} */
const START = { south: { houses: [4, 4], store: 0 }, north: { houses: [4, 4], store: 1 } };

test("steps move seeds from pit to hand to pit", () => {
  /** @type {import("../crates/serve/web/api.js").Step[]} */
  const steps = [
    { kind: "pickup", side: "south", house: 2, seeds: 4 },
    { kind: "sow", side: "south", house: null, seeds: 1 },
    { kind: "capture", side: "south", house: 1, seeds: 4 },
    { kind: "capture", side: "north", house: 2, seeds: 4 },
    { kind: "collect", side: "south", house: null, seeds: 8 },
  ];
  let seeds = START;
  for (const step of steps) {
    const { pit, gain } = effect(step);
    seeds = changed(seeds, pit, gain);
  }
  assert.deepEqual(seeds, { south: { houses: [0, 0], store: 9 }, north: { houses: [4, 0], store: 1 } });
  assert.ok(!same(seeds, START));
  assert.equal(pits(2).reduce((sum, pit) => sum + seedsIn(START, pit), 0), 17);
});

test("pits do not touch and lie within the board, which ever way it stands", () => {
  for (const houses of [1, 6, 16]) {
    for (const portrait of [false, true]) {
      for (const flip of [false, true]) {
        const { places, width, height, wood } = layout(houses, { portrait, flip });
        const all = [...places.values()];
        assert.equal(all.length, 2 * houses + 2);
        for (const { x, y, rx, ry } of all) {
          assert.ok(x - rx > wood.x && x + rx < wood.x + wood.width && y - ry > wood.y && y + ry < wood.y + wood.height);
          assert.ok(wood.x + wood.width <= width && wood.y + wood.height <= height);
        }
        for (const one of all) {
          for (const two of all) {
            const apart = Math.abs(one.x - two.x) >= one.rx + two.rx || Math.abs(one.y - two.y) >= one.ry + two.ry;
            assert.ok(one === two || apart);
          }
        }
      }
    }
  }
});

test("a flipped board is the same board seen from the other side", () => {
  const [one, two] = [false, true].map((flip) => layout(6, { portrait: false, flip }).places);
  for (const { side, house } of pits(6)) {
    const mine = one.get(key({ side, house }));
    const theirs = two.get(key({ side: words.other(side), house }));
    assert.deepEqual(mine, theirs);
  }
});

test("seeds lie inside their pit, and a small heap is not stirred by one more", () => {
  for (const seeds of [0, 1, 4, 13, 40, 1000]) {
    const { radius, spots } = heap(seeds, 44, 50, 1);
    assert.equal(spots.length, Math.min(seeds, DRAWN));
    for (const { x, y } of spots) assert.ok((x / (44 - radius / 2)) ** 2 + (y / (50 - radius / 2)) ** 2 <= 1);
  }
  assert.deepEqual(heap(5, 44, 50, 1).spots.slice(0, 4), heap(4, 44, 50, 1).spots);
});

test("the curve leaves out what is not known", () => {
  const { top, spots } = plot([8, null, -8, 0].map((value) => ({ value, worst: false })), 360);
  assert.equal(top, 8);
  assert.deepEqual(spots.map(({ ply }) => ply), [0, 2, 3]);
  assert.ok(spots[0].y < spots[2].y && spots[2].y < spots[1].y);
});

test("the editor counts", () => {
  const start = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
  const parsed = numbers(`(${start.replaceAll(",", ", ")})`, 6) ?? assert.fail();
  assert.equal(text(parsed), start);
  assert.equal(numbers("4,4|4,4", 6), null);
  assert.equal(numbers("<6,0,0,4>", 6), null);
  assert.equal(tally(48, 48), "48 seeds, as it should be.");
  assert.equal(tally(47, 48), "47 of 48 seeds: 1 too few.");
  assert.equal(tally(50, 48), "50 of 48 seeds: 2 too many.");
});

test("a review knows its worst turns and where they stand", () => {
  const turn = { turn: 1, side: /** @type {const} */ ("south"), before: 8, after: 8, best: ["3", "6"] };
  const turns = [
    { ...turn, ply: 0, moves: ["3", "6"], lost: 0 },
    { ...turn, ply: 2, moves: ["1"], lost: 2 },
    { ...turn, ply: 3, moves: ["5", "4"], lost: 7 },
    { ...turn, ply: 5, moves: ["2"], lost: null },
  ];
  const review = { query: { game: "", start: null, free: false, moves: ["3", "6", "1", "5", "4", "2"] }, turns, complete: true };
  assert.deepEqual(mistakes(review).map(({ lost }) => lost), [7, 2]);
  assert.equal(endOf(review, turns[2]), "3,6,1,5,4");
});

test("words", () => {
  assert.equal(words.signed(-3), "\u22123");
  assert.equal(words.turn(["3", "6"]), "3 then 6");
  assert.equal(words.outcome(0), "draws");
  assert.equal(words.short(12_345_678), "12.3 M");
  const legal = { house: 3, again: true, captures: 0, finishes: false, lands: { side: /** @type {const} */ ("south"), store: /** @type {const} */ (true) } };
  assert.equal(words.landing(legal, "south"), "last seed in the store, moves again");
});
