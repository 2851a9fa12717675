// Answers from workers: a front that answers at once and plans, and hands that search and share an analysis out.

import first from "./first.js";
import { Hand } from "./hand.js";
import { memory } from "./memory.js";
import { offline } from "./offline.js";
import { Refusal } from "./refusal.js";
import { BOOKS, VERSION } from "./version.js";

/** How long a hand that nobody waits for may take to come back before it is ended, in milliseconds. */
const GRACE = 150;

/** The front needs little: it holds a book and plans. */
const FRONT = 32 * 2 ** 20;

/** An analysis takes so many hands, and one more is there for whoever asks meanwhile. */
const SHARED = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
const MOST = SHARED + 1;

/** Paths that take long. */
const HEAVY = new Set(["reply", "choices"]);

/** Fetched and compiled once. @type {Promise<WebAssembly.Module> | null} */
let compiled = null;

/** @returns {Promise<WebAssembly.Module>} */
function module() {
  compiled ??= compile().catch((fault) => {
    compiled = null;
    throw fault;
  });
  return compiled;
}

async function compile() {
  if (!("WebAssembly" in globalThis)) throw new Refusal(500, "the engine needs WebAssembly, which this browser does not allow here.", null, 0);
  // Hosts that do not know what it is are many, so that it is taken as plain bytes.
  const answer = await fetch(new URL("sowing_bg.wasm", import.meta.url)).catch(() => null);
  const bytes = answer?.ok ? await answer.arrayBuffer().catch(() => null) : null;
  if (!bytes) throw new Refusal(0, "the engine cannot be fetched. Is there a network?", null, 5);
  return WebAssembly.compile(bytes).catch(() => {
    throw new Refusal(500, "the engine came damaged, or this browser is too old for it. Reload the page, or take a newer browser.", null, 0);
  });
}

/** @param {number} bytes @param {(hand: Hand) => void} gone */
function hire(bytes, gone) {
  return new Hand({ module: module(), memory: bytes, books: BOOKS, version: VERSION }, gone);
}

/** @type {Hand | null} */
let front = null;

/** @returns {Hand} */
function atFront() {
  front ??= hire(FRONT, () => (front = null));
  return front;
}

/** All hands, those that are free, and those whose work nobody wants any more. @type {Set<Hand>} */
const hands = new Set();
/** @type {Set<Hand>} */
const free = new Set();
/** @type {Set<Hand>} */
const stale = new Set();
/** Who waits for a hand. @type {{ game: string, take: (hand: Hand) => void, signal?: AbortSignal }[]} */
const waiting = [];

/** A hand that is free, if there is or can be one. @param {string} game @returns {Hand | null} */
function atHand(game) {
  const warm = [...free].find((hand) => hand.game === game) ?? [...free][0];
  if (warm) {
    free.delete(warm);
    return warm;
  }
  if (hands.size >= MOST) {
    const [old] = stale;
    if (!old) return null;
    old.end();
  }
  const hand = hire((memory() - FRONT) / MOST, (gone) => {
    hands.delete(gone);
    free.delete(gone);
    stale.delete(gone);
    queueMicrotask(serve);
  });
  hands.add(hand);
  return hand;
}

/** Gives hands to who waits. */
function serve() {
  while (waiting.length > 0) {
    const [{ game, take, signal }] = waiting;
    const hand = signal?.aborted ? null : atHand(game);
    if (!hand && !signal?.aborted) return;
    waiting.shift();
    if (hand) take(hand);
  }
}

/** @param {string} game @param {AbortSignal} [signal] @returns {Promise<Hand>} */
function take(game, signal) {
  return new Promise((resolve) => {
    waiting.push({ game, take: resolve, signal });
    serve();
  }).then((hand) => Object.assign(/** @type {Hand} */ (hand), { game }));
}

/** @param {Hand} hand */
function release(hand) {
  stale.delete(hand);
  if (!hand.alive) return;
  free.add(hand);
  serve();
}

/** Nobody wants what a hand is busy with: it comes back by itself, or is ended. @param {Hand} hand */
function abandon(hand) {
  if (!hand.alive || free.has(hand)) return;
  stale.add(hand);
  setTimeout(() => {
    if (stale.has(hand)) hand.end();
  }, GRACE);
  serve();
}

/** The memory that was chosen holds for hands from now on. */
export function resize() {
  for (const hand of hands) hand.end();
}

/** Ends with the signal, whatever the work does. @template T @param {AbortSignal | undefined} signal @param {Promise<T>} work @returns {Promise<T>} */
function unlessAborted(signal, work) {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("nobody asks any more", "AbortError"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Has a hand do something. @param {URLSearchParams} query @param {AbortSignal | undefined} signal @param {Record<string, unknown>} call @param {(told: string) => void} [tell] */
async function employ(query, signal, call, tell) {
  const taken = take(query.get("game") ?? "", signal);
  const hand = await unlessAborted(signal, taken).catch((fault) => {
    taken.then(release);
    throw fault;
  });
  const work = hand.call({ ...call, query: String(query) }, tell);
  work.then(() => release(hand), () => release(hand));
  try {
    return await unlessAborted(signal, work);
  } finally {
    if (signal?.aborted) abandon(hand);
  }
}

/** What was computed when the site was made. @param {string} path @param {URLSearchParams} query @returns {string | null} */
function known(path, query) {
  return first[`${path}?${query}`] ?? null;
}

/** @param {string} name @returns {Promise<string>} */
async function file(name) {
  const answer = await fetch(new URL(name, import.meta.url)).catch(() => null);
  if (answer?.ok) return answer.text();
  throw new Refusal(answer ? 404 : 0, "this part of the page is not here: is there a network?", null, 0);
}

/** One answer. @param {string} path @param {URLSearchParams} query @param {AbortSignal} [signal] @returns {Promise<string>} */
export async function ask(path, query, signal) {
  const prepared = known(path, query);
  if (prepared !== null) {
    // The engine will be needed next.
    atFront();
    return prepared;
  }
  if (path === "studies") return file("studies/all.json");
  if (path.startsWith("studies/")) return file(`${path}.json`);
  const answer = () =>
    HEAVY.has(path)
      ? employ(query, signal, { act: "answer", path })
      : unlessAborted(signal, atFront().call({ act: "answer", path, query: String(query) }));
  return answer().catch((fault) => {
    // Whoever was to answer is no more: another does.
    if (fault instanceof Refusal && fault.status === 0 && !signal?.aborted) return answer();
    throw fault;
  });
}

/**
 * What is found, as it comes, until it is done or nobody wants it any more.
 *
 * @param {"analysis" | "review"} path
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} receive
 */
export async function stream(path, query, signal, receive) {
  if (path === "review") {
    const tell = (/** @type {string} */ turn) => !signal.aborted && receive("turn", JSON.parse(turn));
    return receive("done", JSON.parse(await employ(query, signal, { act: "review" }, tell)));
  }
  const prepared = known(path, query);
  if (prepared !== null) {
    for (const finding of JSON.parse(prepared)) receive(finding.finding, finding);
    return;
  }
  await analyse(query, signal, receive);
}

let plans = 0;

/** @param {URLSearchParams} query @param {AbortSignal} signal @param {(name: string, data: any) => void} receive */
async function analyse(query, signal, receive) {
  const planner = atFront();
  plans += 1;
  const plan = plans;
  let over = false;
  /** @type {() => void} */
  let finish = () => {};
  const finished = new Promise((resolve) => (finish = () => resolve(null)));
  /** @param {{ news: any[], over: boolean }} told */
  const tell = (told) => {
    if (signal.aborted || over) return;
    for (const finding of told.news) receive(finding.finding, finding);
    over = told.over;
    if (over) finish();
  };
  /** @type {Set<Hand>} */
  const busy = new Set();
  /** Does tasks as long as there are any. @param {Hand} hand */
  const work = async (hand) => {
    busy.add(hand);
    try {
      /** @type {string | undefined} */
      let task = over || signal.aborted ? undefined : await planner.call({ act: "next", plan });
      while (task && !over && !signal.aborted) {
        const { id } = JSON.parse(task);
        const told = (/** @type {string} */ report) => void planner.call({ act: "progress", plan, task: id, report }).then(tell, () => null);
        const report = await hand.call({ act: "perform", query: String(query), task }, told);
        if (over || signal.aborted) return;
        const { next, ...news } = await planner.call({ act: "report", plan, task: id, report });
        tell(news);
        task = next;
      }
    } finally {
      busy.delete(hand);
      release(hand);
    }
  };
  /** One more hand, if there is something for it to do. @param {boolean} wait */
  const join = async (wait) => {
    const hand = wait ? await take(query.get("game") ?? "", signal) : atHand(query.get("game") ?? "");
    if (!hand) return;
    hand.game = query.get("game") ?? "";
    await work(hand);
  };
  try {
    tell(await unlessAborted(signal, planner.call({ act: "plan", plan, query: String(query) })));
    if (over) return;
    const all = [join(true)];
    while (all.length < SHARED && (free.size > 0 || hands.size < MOST)) all.push(join(false));
    await unlessAborted(signal, Promise.race([finished, Promise.all(all)]));
    if (!over) tell(await planner.call({ act: "progress", plan, task: -1, report: '{"nodes":0}' }));
  } finally {
    over = true;
    for (const hand of busy) abandon(hand);
    planner.call({ act: "forget", plan }).catch(() => null);
  }
}

offline(resize);
