// The modules that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { best, learn, telling, unknown } from "../crates/serve/web/analysis.js";
import { DRAWN, heap } from "../crates/serve/web/board/heap.js";
import { layout } from "../crates/serve/web/board/layout.js";
import { changed, effect, key, pits, same, seedsIn } from "../crates/serve/web/board/pits.js";
import { parseEvents } from "../crates/serve/web/events.js";
import { compose, parse } from "../crates/serve/web/game.js";
import { plot } from "../crates/serve/web/panels/curve.js";
import { numbers, tally, text, turned } from "../crates/serve/web/panels/editor.js";
import { givenAway } from "../crates/serve/web/panels/practice.js";
import { frame, record } from "../crates/serve/web/panels/share.js";
import { Recent } from "../crates/serve/web/recent.js";
import { endOf, mistakes, sums } from "../crates/serve/web/review.js";
import { solvedOn, streak } from "../crates/serve/web/streak.js";
import { notes, tone } from "../crates/serve/web/study-cell.js";
import * as words from "../crates/serve/web/text.js";
import { rootOf, Tree } from "../crates/serve/web/tree.js";
import { read, write } from "../crates/serve/web/url.js";
import { bestTurn, marks, progress, verdict } from "../crates/serve/web/values.js";

test("a figure that was not computed now says so", () => {
  /** @type {Parameters<typeof notes>[0]} */
  const cell = { shown: "+10", aside: "", source: "computed", agreement: "equal" };
  assert.deepEqual(notes(cell), []);
  assert.deepEqual(notes({ ...cell, source: "kept" }), ["kept"]);
  assert.deepEqual(notes({ ...cell, source: "printed", agreement: "not-reached" }), ["printed"]);
  assert.deepEqual(notes({ ...cell, source: "kept", agreement: "misprint", aside: "+8" }), [
    "kept",
    "misprint",
    "print: +8",
  ]);
  assert.equal(tone({ agreement: "differs" }), "differs");
  assert.equal(tone({ agreement: "not-recomputed" }), "open");
});

test("a tree gives its lines back, the main line first", () => {
  const lines = [["3", "6", "2"], ["3", "5"], ["1"]];
  const root = Tree.fromLines(lines);
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
  const first = Tree.fromLines([["1"], ["2"], ["3"]]).children[0];
  assert.equal(first.sibling(-1).move, "3");
  assert.equal(first.sibling(1).sibling(1).sibling(1), first);
});

test("an address gives the same view back", () => {
  const root = Tree.fromLines([
    ["3", "6", "2", "swap"],
    ["3", "5"],
  ]);
  const states = [root, root.follow(["3"]), root.follow(["3", "5"]), root.follow(["3", "6"])].map((node) => ({
    game: "kalah(6,4,relay,pie)",
    start: "4,4,4,4,4,4,0|4,4,4,4,4,4,0",
    free: true,
    first: /** @type {const} */ ("north"),
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
  assert.deepEqual(
    read("#game=kalah(6,4,pie)&moves=1,x,2").node.moves,
    ["1", "swap", "2"],
    "addresses of earlier pages",
  );
});

test("an address with nonsense in it is read as far as it makes sense", () => {
  const { game, node, south } = read("#moves=3,<b>,999,6&at=-4&south=");
  assert.equal(game, "kalah(6,4)");
  assert.deepEqual(node.moves, ["3", "6"]);
  assert.equal(south, "human");
});

test("events are cut where they end", () => {
  const { events, rest } = parseEvents(
    'event: bounds\ndata: {"lower":-4}\n\n: a comment\n\ndata: 1\r\ndata: 2\r\n\r\nevent: val',
  );
  assert.deepEqual(events, [
    { name: "bounds", data: '{"lower":-4}' },
    { name: "message", data: "1\n2" },
  ]);
  assert.equal(rest, "event: val");
});

/** @param {string} move @param {number | null} value @param {Partial<import("../crates/serve/web/types.js").MoveFound>} [more] @returns {import("../crates/serve/web/types.js").MoveFound} */
function found(move, value, more = {}) {
  const outcome = value === null ? null : value > 0 ? "win" : value < 0 ? "loss" : "draw";
  return { move, value, outcome, again: false, estimate: value, ...more };
}

const WORK = { nodes: 10, seconds: 0.5 };

test("an analysis is learned finding by finding", () => {
  const wide = { bounds: /** @type {[number, number]} */ ([-46, 48]) };
  const guesses = [
    found("1", null, { ...wide, estimate: -2 }),
    found("2", null, { ...wide, estimate: 3 }),
    found("3", null, { ...wide, estimate: 1 }),
  ];
  let known = learn(unknown(), { finding: "estimate", estimate: 3, moves: guesses });
  assert.deepEqual(
    known.moves.map(({ move }) => move),
    ["2", "3", "1"],
  );
  assert.equal(verdict(known, "south"), "Not known yet. It looks like \u2248 +3 for South.");
  assert.deepEqual(
    marks(known, "south").get("south 2"),
    { text: "\u2248 +3", tone: "open", best: false },
    "a guess says that it is one",
  );
  known = learn(known, {
    finding: "bounds",
    value: null,
    bounds: [-4, 12],
    outcome: null,
    words: "Not solved.",
    estimate: 3,
    ...WORK,
  });
  assert.deepEqual([known.bounds, known.nodes], [[-4, 12], 10]);
  known = learn(known, { finding: "move", ...found("1", -12) });
  assert.deepEqual(best(known), [], "the best of the moves known so far is not the best move");
  assert.equal(bestTurn(known, "south"), "");
  const value = { value: 8, outcome: /** @type {const} */ ("win"), words: "South wins by 8 with perfect play." };
  known = learn(known, { finding: "value", ...value, best: ["3", "6"], ...WORK });
  assert.equal(known.bounds, undefined);
  assert.equal(verdict(known, "south"), "South wins by 8 with perfect play.");
  assert.equal(bestTurn(known, "south"), "South\u2019s best: 3, then 6");
  assert.deepEqual(best(known), ["3"], "the move that proves the value is named with it");
  known = learn(known, { finding: "move", ...found("3", 8, { again: true }) });
  known = learn(known, { finding: "move", ...found("2", null, { bounds: [-4, 6], estimate: 6 }) });
  assert.deepEqual(
    known.moves.map(({ move }) => move),
    ["3", "2", "1"],
  );
  assert.deepEqual(givenAway(known, "3"), { lost: 0, exactly: true });
  assert.deepEqual(givenAway(known, "2"), { lost: 2, exactly: false });
  assert.deepEqual(givenAway(known, "1"), { lost: 20, exactly: true });
  const moves = [found("2", 8), found("3", 8), found("1", -12)];
  const all = {
    game: "kalah(6,4)",
    position: "",
    to_move: /** @type {const} */ ("south"),
    estimate: 8,
    source: /** @type {const} */ ("search"),
  };
  known = learn(known, { finding: "done", ...all, ...value, best: ["3", "6"], moves, complete: true, ...WORK });
  assert.equal(known.status, "done");
  assert.deepEqual(best(known), ["3", "2"]);
});

test("an unknown value is unknown, and not 0", () => {
  const all = {
    game: "kalah(6,4)",
    position: "",
    to_move: /** @type {const} */ ("north"),
    estimate: 0,
    source: /** @type {const} */ ("search"),
    best: null,
    complete: false,
  };
  const moves = [found("1", null, { bounds: [-2, 0], estimate: 0 })];
  const known = learn(unknown(), {
    finding: "done",
    ...all,
    value: null,
    bounds: [-2, 2],
    outcome: null,
    words: "Not solved.",
    moves,
    ...WORK,
  });
  assert.equal(known.value, null);
  assert.deepEqual(best(known), []);
  assert.equal(givenAway(known, "1"), null);
  assert.equal(verdict(known, "north"), "Not known yet. It looks like \u2248 0 for North.");
  assert.match(progress(known), /^Proven so far: .2 to .2\. Not finished after 10 positions, 0\.5 s\.$/);
});

test("games are taken apart and put together", () => {
  for (const name of ["kalah(6,4)", "s-kalaha(6,3)", "kalah(16,100,relay,pie)"]) {
    assert.equal(compose(parse(name) ?? assert.fail(name)), name);
  }
  assert.equal(parse("kalah(6)"), null);
});

/** @type {import("../crates/serve/web/types.js").Seeds} */
const START = { south: { houses: [4, 4], store: 0 }, north: { houses: [4, 4], store: 1 } };

test("motions move seeds from pit to hand to pit", () => {
  /** @type {import("../crates/serve/web/types.js").Motion[]} */
  const motions = [
    { kind: "pickup", side: "south", house: 2, seeds: 4 },
    { kind: "sow", side: "south", house: null, seeds: 1 },
    { kind: "capture", side: "south", house: 1, seeds: 4 },
    { kind: "capture", side: "north", house: 2, seeds: 4 },
    { kind: "collect", side: "south", house: null, seeds: 8 },
  ];
  let seeds = START;
  for (const motion of motions) {
    const { pit, gain } = effect(motion);
    seeds = changed(seeds, pit, gain);
  }
  assert.deepEqual(seeds, { south: { houses: [0, 0], store: 9 }, north: { houses: [4, 0], store: 1 } });
  assert.ok(!same(seeds, START));
  assert.equal(
    pits(2).reduce((sum, pit) => sum + seedsIn(START, pit), 0),
    17,
  );
});

test("pits do not touch and lie within the board, which ever way it stands", () => {
  for (const houses of [1, 6, 16]) {
    for (const portrait of [false, true]) {
      for (const flip of [false, true]) {
        const { places, width, height, wood } = layout(houses, { portrait, flip });
        const all = [...places.values()];
        assert.equal(all.length, 2 * houses + 2);
        for (const { x, y, rx, ry } of all) {
          assert.ok(
            x - rx > wood.x && x + rx < wood.x + wood.width && y - ry > wood.y && y + ry < wood.y + wood.height,
          );
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
  const { top, spots } = plot(
    [8, null, -8, 0].map((value) => ({ value, worst: false })),
    360,
  );
  assert.equal(top, 8);
  assert.deepEqual(
    spots.map(({ ply }) => ply),
    [0, 2, 3],
  );
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

test("a review tells what the server summed up", () => {
  const worth = { value: 8, outcome: /** @type {const} */ ("win") };
  const side = /** @type {const} */ ("south");
  const turns = [
    { turn: 1, ply: 0, moves: ["3", "6"], lost: 0 },
    { turn: 2, ply: 2, moves: ["1"], lost: 2 },
    { turn: 3, ply: 3, moves: ["5", "4"], lost: 7 },
    { turn: 4, ply: 5, moves: ["2"], lost: null },
  ].map((turn) => ({ side, player: side, before: worth, after: worth, best: ["3", "6"], ...turn }));
  const query = { game: "", start: null, free: false, first: side, moves: ["3", "6", "1", "5", "4", "2"] };
  assert.equal(sums({ query, turns: turns.slice(2), review: null, waiting: false }), "2 turns reviewed\u2026");
  const known = {
    query,
    turns,
    waiting: false,
    review: { turns, lost: { south: 1, north: 9 }, worst: [3, 2], complete: false },
  };
  assert.deepEqual(
    mistakes(known).map(({ lost }) => lost),
    [7, 2],
  );
  assert.equal(endOf(known, turns[2]), "3,6,1,5,4");
  assert.equal(sums(known), "South gave away 1 point, North 9.");
  const swapped = { ...known, query: { ...query, moves: ["3", "swap"] } };
  assert.equal(sums(swapped), "Whoever started as South gave away 1 point, whoever started as North 9.");
});

test("words", () => {
  assert.equal(words.signed(-3), "\u22123");
  assert.equal(words.turn(["3", "6"]), "3, then 6");
  assert.equal(words.outcome(0), "draws");
  assert.equal(words.short(12_345_678), "12.3 million");
  const legal = {
    move: "3",
    again: true,
    captures: 0,
    finishes: false,
    lands: { side: /** @type {const} */ ("south"), house: null },
  };
  assert.equal(words.landing(legal, "south"), "last seed in the store, moves again");
});

test("ranges that say no more than the board are not told", () => {
  const wide = /** @type {[number, number]} */ ([-24, 24]);
  let known = learn(unknown(), {
    finding: "estimate",
    estimate: 2,
    moves: [found("1", null, { bounds: wide }), found("2", null, { bounds: wide })],
  });
  known = learn(known, {
    finding: "bounds",
    value: null,
    bounds: wide,
    outcome: null,
    words: "",
    estimate: 2,
    ...WORK,
  });
  assert.equal(telling(known, ""), null);
  assert.equal(telling(known, "1"), null);
  known = learn(known, {
    finding: "bounds",
    value: null,
    bounds: [-4, 8],
    outcome: null,
    words: "",
    estimate: 2,
    ...WORK,
  });
  known = learn(known, { finding: "move", ...found("1", null, { bounds: [-2, 8] }) });
  assert.deepEqual(telling(known, ""), [-4, 8]);
  assert.deepEqual(telling(known, "1"), [-2, 8]);
  assert.equal(telling(known, "2"), null);
});

test("only what was asked last is remembered", () => {
  /** @type {Recent<number>} */
  const recent = new Recent(2);
  recent.set("a", 1);
  recent.set("b", 2);
  assert.equal(recent.get("a"), 1);
  recent.set("c", 3);
  assert.deepEqual([recent.get("a"), recent.get("b"), recent.get("c")], [1, undefined, 3]);
});

test("the editor's seeds stay where they are, whoever is to move", () => {
  const seeds = [1, 2, 0, 3, 4, 5];
  assert.deepEqual(turned(seeds, "south"), seeds);
  assert.deepEqual(turned(seeds, "north"), [3, 4, 5, 1, 2, 0]);
  assert.deepEqual(turned(turned(seeds, "north"), "north"), seeds);
});

test("notes are kept in the address and in the record", () => {
  const root = Tree.fromLines([["3", "6", "2"]]);
  root.comment = "the start";
  Object.assign(root.follow(["3"]), { mark: "!", comment: "" });
  Object.assign(root.follow(["3", "6"]), { mark: "?", comment: "why; not, {this}".replace(/[{}]/g, "") });
  const state = {
    game: "kalah(6,4)",
    start: null,
    free: false,
    first: /** @type {const} */ ("south"),
    node: root.follow(["3", "6", "2"]),
    flip: false,
    south: "human",
    north: "human",
  };
  const back = rootOf(read(write(state)).node);
  assert.deepEqual(
    back.noted.map((one) => [one.moves.join(), one.mark, one.comment]),
    root.noted.map((one) => [one.moves.join(), one.mark, one.comment]),
  );
  const side = (/** @type {"south" | "north"} */ side, /** @type {string} */ move, again = false) => ({
    side,
    move,
    again,
    captured: 0,
    turn: 1,
  });
  const played = {
    record: "# game: kalah(6,4)\n36,2\n",
    board: START,
    moves: [side("south", "3", true), side("south", "6"), side("north", "2")],
  };
  assert.equal(record(played, state.node), "# game: kalah(6,4)\n{the start} 3!.6?, {why; not, this} 2\n");
  const swapped = { ...played, moves: [side("south", "1"), side("north", "swap"), side("north", "2")] };
  assert.equal(
    record(swapped, Tree.fromLines([["1", "swap", "2"]]).follow(["1", "swap", "2"])),
    "# game: kalah(6,4)\n1,x2\n",
  );
});

test("a frame names the board for frames", () => {
  assert.match(
    frame("http://127.0.0.1:8080/#game=kalah(6,4)&moves=3"),
    /src="http:\/\/127\.0\.0\.1:8080\/embed\.html#game=kalah\(6,4\)&amp;moves=3"/,
  );
});

test("a streak is of days in a row", () => {
  assert.deepEqual(streak(null, 10), { days: 0, last: -1 });
  const one = solvedOn(null, 10);
  assert.equal(solvedOn(one, 10), one, "twice a day is a day");
  assert.equal(streak(solvedOn(one, 11), 11).days, 2);
  assert.equal(streak(one, 12).days, 0, "a day was left out");
  assert.equal(streak("nonsense", 3).days, 0);
});

test("the end of a game is told with its score", () => {
  const board = { south: { houses: [0, 0], store: 5 }, north: { houses: [2, 0], store: 1 } };
  const result = {
    winner: /** @type {const} */ ("south"),
    margin: 2,
    seeds: { south: 5, north: 3 },
    left: { south: 0, north: 2 },
    left_is_lost: false,
  };
  const view = /** @type {import("../crates/serve/web/types.js").View} */ (
    /** @type {unknown} */ ({ result, board, endless: false, to_move: null })
  );
  assert.equal(words.standing(view), "South wins by 2, 5 to 3. The 2 seeds left in North\u2019s row are North\u2019s.");
  assert.deepEqual(words.swept(view), { south: { houses: [0, 0], store: 5 }, north: { houses: [0, 0], store: 3 } });
  const lost = { ...view, result: { ...result, left_is_lost: true } };
  assert.match(words.standing(lost), /count for nobody/);
  assert.equal(words.swept(lost), board);
});

test("moves are told as one would", () => {
  const played = { side: /** @type {const} */ ("north"), move: "5", again: true, captured: 8, turn: 3, position: "" };
  assert.equal(words.narration(played, []), "North sowed house 5, captured 8, moves again.");
  assert.equal(words.game("kalah(6,4,empty-capture)"), "Kalah, 6 houses of 4, empty capture");
  assert.equal(words.verdict(-6, "south"), "North wins by 6 with perfect play.");
});
