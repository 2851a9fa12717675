// The engine for browsers beside the command: the same values by the same nodes, and how fast.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";

const SOW = process.env.SOW ?? new URL("../target/debug/sow", import.meta.url).pathname;
const FOLDER = process.env.SOW_WASM ?? new URL("../target/wasm", import.meta.url).pathname;

const bytes = readFileSync(join(FOLDER, "sowing_bg.wasm"));
const module = new WebAssembly.Module(bytes);
let started = 0;

/** An engine with a heap of its own. */
async function start() {
  started += 1;
  /** @type {typeof import("../crates/serve/site/sowing.js")} */
  const sowing = await import(`${FOLDER}/sowing.js?${started}`);
  const { memory } = sowing.initSync({ module });
  return { ...sowing, memory };
}
const sowing = await start();

// Tables of whoever runs the tests must not decide what is counted.
const data = mkdtempSync(join(tmpdir(), "sow-"));
after(() => rmSync(data, { recursive: true }));

/** What the command says, computed meanwhile. @param {string[]} args @param {string} input @returns {Promise<any[]>} */
async function sow(args, input) {
  const child = spawn(SOW, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, SOW_DATA: data } });
  child.stdin.end(input);
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Numbers that are the same in every run. @param {number} seed */
function dice(seed) {
  return (/** @type {number} */ sides) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * sides);
  };
}

/** Positions of random games, from everywhere in them. @param {string} game @param {number} count */
async function positions(game, count) {
  const { Engine } = await start();
  const engine = new Engine(64 * 2 ** 20);
  const below = dice(game.length * 7919 + count);
  /** @type {Set<string>} */
  const found = new Set();
  for (let games = 0; found.size < count && games < 50 * count; games += 1) {
    /** @type {string[]} */
    const moves = [];
    for (;;) {
      const view = JSON.parse(engine.answer("position", `game=${game}&moves=${moves}`));
      if (view.legal.length === 0) break;
      if (!view.position.includes("pie") && below(3) === 0) found.add(view.position);
      if (found.size === count) break;
      moves.push(view.legal[below(view.legal.length)].move);
      if (moves.includes("swap")) break;
    }
  }
  engine.free();
  return [...found];
}

const GAMES = [
  "kalah(6,3)",
  "kalah(5,3,empty-capture)",
  "kalah(4,4,remaining-lost)",
  "kalah(4,3,relay)",
  "kalah(3,3,clockwise)",
  "s-kalaha(5,2)",
  "kalah(4,3,last-seed-capture)",
  "kalah(9,1)",
];

test("values, moves and nodes of 504 positions of eight games are those of the command", async () => {
  let compared = 0;
  const lists = new Map();
  for (const game of GAMES) lists.set(game, await positions(game, 63));
  // One after the other in a process of their own, while the engine computes here.
  const native = (async () => {
    const all = new Map();
    for (const [game, list] of lists)
      all.set(
        game,
        await sow(["solve", game, "-", "--threads", "1", "--memory", "256M", "--no-book"], list.join("\n")),
      );
    return all;
  })();
  const ours = new Map();
  for (const [game, list] of lists) {
    const solving = new sowing.Solving(game, 256 * 2 ** 20);
    const found = [];
    for (const position of list) {
      found.push(JSON.parse(solving.solve(position)));
      // The command's answers are read on the way.
      await new Promise((resume) => setImmediate(resume));
    }
    solving.free();
    ours.set(game, found);
  }
  const theirs = await native;
  const pick = (/** @type {any} */ { position, value, best, moves, nodes, complete }) => ({
    position,
    value,
    best,
    moves,
    nodes,
    complete,
  });
  for (const [game, list] of lists) {
    for (const [index, position] of list.entries()) {
      const one = ours.get(game)[index];
      assert.deepEqual(pick(one), pick(theirs.get(game)[index]), `${game} ${position}`);
      assert.equal(typeof one.value, "number");
      compared += 1;
    }
  }
  assert.equal(compared, 504);
});

test("games of the bench take the same nodes", async () => {
  // The list of `sow bench solve`, with its values and nodes.
  const source = readFileSync(new URL("../crates/bench/src/solve.rs", import.meta.url), "utf8");
  const list = [...source.matchAll(/\("(.*?\))", (-?\d+), ([\d_]+)\),/g)];
  assert.ok(list.length >= 9);
  // With SOW_PACE, the program of `cargo build --release -p sowing-solver --example pace`, the times of both are printed.
  const pace = process.env.SOW_PACE;
  for (const [, work, worth, count] of list) {
    const wanted = [Number(worth), Number(count.replaceAll("_", ""))];
    const solving = new (await start()).Solving(work, 2 ** 30);
    const [value, nodes, took] = JSON.parse(solving.start());
    solving.free();
    assert.deepEqual([value, nodes], wanted, work);
    if (pace) {
      const [, , seconds] = JSON.parse(execFileSync(pace, [work], { encoding: "utf8" }));
      console.log(
        `${work}: ${took.toFixed(3)} s, the command ${seconds.toFixed(3)} s: ${(took / seconds).toFixed(2)} times`,
      );
    }
  }
});

test("it is small: at most 600 KB compressed", () => {
  const packed = gzipSync(bytes, { level: 9 }).length;
  console.log(`${bytes.length} bytes, ${packed} compressed`);
  assert.ok(packed <= 600_000, `${packed} bytes`);
});

test("memory keeps within what it was given, whatever is asked", async () => {
  const limit = 64 * 2 ** 20;
  for (const game of ["kalah(6,5)", "s-kalaha(6,5)", "kalah(8,8)", "kalah(5,4,clockwise)", "kalah(16,9)"]) {
    const { Engine, memory } = await start();
    const engine = new Engine(limit);
    const planner = engine.plan(`game=${game}`);
    const end = Date.now() + 2000;
    let [said, sentence] = ["", ""];
    try {
      for (let task = planner.next(); task && Date.now() < end; task = planner.next()) {
        // Short of time, so that every kind of task has its turn.
        const short = JSON.stringify({ ...JSON.parse(task), clock: { secs: 0, nanos: 300_000_000 } });
        planner.report(JSON.parse(task).id, engine.perform(`game=${game}`, short, null));
        said += planner.findings();
      }
    } catch (fault) {
      sentence = String(fault);
      assert.equal(typeof fault, "string", `${game}: it broke off: ${fault}`);
    }
    // What is too large for it says so; bounds and an estimate are there anyway.
    said += planner.findings();
    assert.match(said, /"estimate":-?\d+/, game);
    assert.match(said + sentence, /"bounds":\[|"error"/, game);
    assert.ok(memory.buffer.byteLength <= 1.1 * limit + 4 * 2 ** 20, `${game}: ${memory.buffer.byteLength} bytes`);
  }
});

test("opponents answer in the least memory that a worker has, whatever the game", async () => {
  // The least choice, without the share of the main worker, in five.
  const { Engine } = await start();
  const engine = new Engine((96 * 2 ** 20) / 5);
  engine.add_book(readFileSync(new URL("../crates/books/data/kalah-6.book", import.meta.url)));
  const game = "game=kalah(6,6)&moves=2";
  // A solver that stays warm takes its share first.
  engine.perform(game, JSON.stringify({ id: 0, clock: { secs: 1, nanos: 0 }, kind: { Value: "value" } }), null);
  for (const opponent of ["perfect", "level:9", "pdp:6"]) {
    const { move } = JSON.parse(engine.answer("reply", `${game}&opponent=${opponent}&seed=1`));
    assert.match(String(move), /^[1-6]$/, opponent);
  }
});

test("a heap that is full ends the call, and says so", async () => {
  const { Engine, was_full } = await start();
  const engine = new Engine(3 * 2 ** 20);
  assert.throws(() => {
    for (;;)
      engine.perform(
        "game=kalah(6,5)",
        JSON.stringify({ id: 0, clock: { secs: 20, nanos: 0 }, kind: { Value: "value" } }),
        null,
      );
  });
  assert.ok(was_full());
});
