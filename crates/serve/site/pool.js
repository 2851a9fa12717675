// Responses from workers: the main worker answers at once and plans, the workers of the pool search and share an analysis.

import { ApiError } from "./error.js";
import first from "./first.js";
import { memory } from "./memory.js";
import { offline } from "./offline.js";
import { PoolWorker } from "./pool-worker.js";
import routes from "./routes.js";
import { BOOKS, VERSION } from "./version.js";

/** How long an abandoned worker may take to come back before it is ended, in milliseconds. */
const GRACE = 150;

/** The memory of the main worker, which holds a book and plans. */
const MAIN_MEMORY = 32 * 2 ** 20;

/** The workers of one analysis; one more is there for other requests meanwhile. */
const SHARED = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
const MAX_WORKERS = SHARED + 1;

/** Fetched and compiled once. @type {Promise<WebAssembly.Module> | null} */
let compiled = null;

/** @returns {Promise<WebAssembly.Module>} */
function module() {
  compiled ??= compile().catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function compile() {
  if (!("WebAssembly" in globalThis))
    throw new ApiError(500, "the engine needs WebAssembly, which this browser does not allow here.", null, 0);
  // As plain bytes: many hosts do not know the type.
  const answer = await fetch(new URL("sowing_bg.wasm", import.meta.url)).catch(() => null);
  const bytes = answer?.ok ? await answer.arrayBuffer().catch(() => null) : null;
  if (!bytes) throw new ApiError(0, "the engine cannot be fetched. Is there a network?", null, 5);
  return WebAssembly.compile(bytes).catch(() => {
    throw new ApiError(
      500,
      "the engine came damaged, or this browser is too old for it. Reload the page, or take a newer browser.",
      null,
      0,
    );
  });
}

/** @param {number} bytes @param {(worker: PoolWorker) => void} ended */
function spawn(bytes, ended) {
  return new PoolWorker({ module: module(), memory: bytes, books: BOOKS, version: VERSION }, ended);
}

/** @type {PoolWorker | null} */
let main = null;

/** @returns {PoolWorker} */
function mainWorker() {
  main ??= spawn(MAIN_MEMORY, () => (main = null));
  return main;
}

/** All workers of the pool, the idle ones, and those whose work is abandoned. @type {Set<PoolWorker>} */
const workers = new Set();
/** @type {Set<PoolWorker>} */
const idle = new Set();
/** @type {Set<PoolWorker>} */
const abandoned = new Set();
/** Requests that wait for a worker. @type {{ game: string, take: (worker: PoolWorker) => void, signal?: AbortSignal }[]} */
const waiting = [];

/** An idle or a new worker, if there can be one. @param {string} game @returns {PoolWorker | null} */
function acquireNow(game) {
  const warm = [...idle].find((worker) => worker.game === game) ?? [...idle][0];
  if (warm) {
    idle.delete(warm);
    return warm;
  }
  if (workers.size >= MAX_WORKERS) {
    const [old] = abandoned;
    if (!old) return null;
    old.end();
  }
  const worker = spawn((memory() - MAIN_MEMORY) / MAX_WORKERS, (ended) => {
    workers.delete(ended);
    idle.delete(ended);
    abandoned.delete(ended);
    queueMicrotask(dispatch);
  });
  workers.add(worker);
  return worker;
}

/** Gives workers to the requests that wait. */
function dispatch() {
  while (waiting.length > 0) {
    const [{ game, take, signal }] = waiting;
    const worker = signal?.aborted ? null : acquireNow(game);
    if (!worker && !signal?.aborted) return;
    waiting.shift();
    if (worker) take(worker);
  }
}

/** @param {string} game @param {AbortSignal} [signal] @returns {Promise<PoolWorker>} */
function acquire(game, signal) {
  return new Promise((resolve) => {
    waiting.push({ game, take: resolve, signal });
    dispatch();
  }).then((worker) => Object.assign(/** @type {PoolWorker} */ (worker), { game }));
}

/** @param {PoolWorker} worker */
function release(worker) {
  abandoned.delete(worker);
  if (!worker.alive) return;
  idle.add(worker);
  dispatch();
}

/** A worker whose work was aborted comes back by itself, or is ended. @param {PoolWorker} worker */
function abandon(worker) {
  if (!worker.alive || idle.has(worker)) return;
  abandoned.add(worker);
  setTimeout(() => {
    if (abandoned.has(worker)) worker.end();
  }, GRACE);
  dispatch();
}

/** Another amount of memory was chosen: it holds for the next workers. */
export function resize() {
  for (const worker of workers) worker.end();
}

/** Ends with the signal, whatever the work does. @template T @param {AbortSignal | undefined} signal @param {Promise<T>} work @returns {Promise<T>} */
function unlessAborted(signal, work) {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("the request was aborted", "AbortError"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Calls a worker of the pool. @param {URLSearchParams} query @param {AbortSignal | undefined} signal @param {Record<string, unknown>} call @param {(text: string) => void} [report] */
async function callPool(query, signal, call, report) {
  const acquired = acquire(query.get("game") ?? "", signal);
  const worker = await unlessAborted(signal, acquired).catch((error) => {
    acquired.then(release);
    throw error;
  });
  const work = worker.call({ ...call, query: String(query) }, report);
  work.then(
    () => release(worker),
    () => release(worker),
  );
  try {
    return await unlessAborted(signal, work);
  } finally {
    if (signal?.aborted) abandon(worker);
  }
}

/** A response that was computed when the site was made. @param {string} path @param {URLSearchParams} query @returns {string | null} */
function prepared(path, query) {
  return first[`${path}?${query}`] ?? null;
}

/** @param {string} path @returns {Promise<string>} */
async function file(path) {
  const answer = await fetch(new URL(`${path}.json`, import.meta.url)).catch(() => null);
  if (answer?.ok) return answer.text();
  throw new ApiError(answer ? 404 : 0, "this part of the page is not here: is there a network?", null, 0);
}

/** One response. @param {string} path @param {URLSearchParams} query @param {AbortSignal} [signal] @returns {Promise<string>} */
export async function ask(path, query, signal) {
  const known = prepared(path, query);
  if (known !== null) {
    // The engine is needed next.
    mainWorker();
    return known;
  }
  const by = routes[path] ?? "file";
  if (by === "file") return file(path);
  const call = { act: "answer", path, query: String(query) };
  const answer = () => (by === "pool" ? callPool(query, signal, call) : unlessAborted(signal, mainWorker().call(call)));
  return answer().catch((error) => {
    // The worker has ended: another one answers.
    if (error instanceof ApiError && error.status === 0 && !signal?.aborted) return answer();
    throw error;
  });
}

/**
 * The findings as they come, until the last one or the signal.
 *
 * @param {"analysis" | "review"} path
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} receive
 */
export async function stream(path, query, signal, receive) {
  if (path === "review") {
    const report = (/** @type {string} */ turn) => !signal.aborted && receive("turn", JSON.parse(turn));
    return receive("done", JSON.parse(await callPool(query, signal, { act: "review" }, report)));
  }
  const known = prepared(path, query);
  if (known !== null) {
    for (const finding of JSON.parse(known)) receive(finding.finding, finding);
    return;
  }
  await analyse(query, signal, receive);
}

let plans = 0;

/** @param {URLSearchParams} query @param {AbortSignal} signal @param {(name: string, data: any) => void} receive */
async function analyse(query, signal, receive) {
  const planner = mainWorker();
  plans += 1;
  const plan = plans;
  let over = false;
  /** @type {() => void} */
  let finish = () => {};
  const finished = new Promise((resolve) => (finish = () => resolve(null)));
  /** @param {{ findings: any[], over: boolean }} found */
  const learn = (found) => {
    if (signal.aborted || over) return;
    for (const finding of found.findings) receive(finding.finding, finding);
    over = found.over;
    if (over) finish();
  };
  /** @type {Set<PoolWorker>} */
  const busy = new Set();
  /** Performs tasks while there are any. @param {PoolWorker} worker */
  const work = async (worker) => {
    busy.add(worker);
    try {
      /** @type {string | undefined} */
      let task = over || signal.aborted ? undefined : await planner.call({ act: "next", plan });
      while (task && !over && !signal.aborted) {
        const { id } = JSON.parse(task);
        const progress = (/** @type {string} */ report) =>
          void planner.call({ act: "progress", plan, task: id, report }).then(learn, () => null);
        const report = await worker.call({ act: "perform", query: String(query), task }, progress);
        if (over || signal.aborted) return;
        const { next, ...found } = await planner.call({ act: "report", plan, task: id, report });
        learn(found);
        task = next;
      }
    } finally {
      busy.delete(worker);
      release(worker);
    }
  };
  /** One more worker, if there can be one. @param {boolean} wait */
  const join = async (wait) => {
    const game = query.get("game") ?? "";
    const worker = wait ? await acquire(game, signal) : acquireNow(game);
    if (!worker) return;
    worker.game = game;
    await work(worker);
  };
  try {
    learn(await unlessAborted(signal, planner.call({ act: "plan", plan, query: String(query) })));
    if (over) return;
    const all = [join(true)];
    while (all.length < SHARED && (idle.size > 0 || workers.size < MAX_WORKERS)) all.push(join(false));
    await unlessAborted(signal, Promise.race([finished, Promise.all(all)]));
    if (!over) learn(await planner.call({ act: "progress", plan, task: -1, report: '{"nodes":0}' }));
  } finally {
    over = true;
    for (const worker of busy) abandon(worker);
    planner.call({ act: "forget", plan }).catch(() => null);
  }
}

offline(resize);
