// A worker as the page sees it: calls that return a promise, and an end that is noticed.

import { arriving } from "./arriving.js";
import { ApiError } from "./error.js";

/** @typedef {{ resolve: (done: any) => void, reject: (error: unknown) => void, report: (text: string) => void }} Call */

/** What every worker is started with. @typedef {{ module: Promise<WebAssembly.Module>, memory: number, books: string[], version: string }} Start */

let spawned = 0;

export class PoolWorker {
  /** @param {Start} start @param {(worker: PoolWorker) => void} ended called once, when the worker has ended */
  constructor(start, ended) {
    spawned += 1;
    this.memory = start.memory;
    this.ended = ended;
    this.alive = true;
    /** The game of its last call: its solver is warm for that game. */
    this.game = "";
    /** @type {Map<number, Call>} */
    this.calls = new Map();
    this.count = 0;
    const name = `sowing ${Date.now()} ${spawned} ${Math.random()}`;
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name });
    this.worker.addEventListener("message", ({ data }) => (data.here ? this.watch(name) : this.receive(data)));
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.end(event.message || "its worker cannot be started");
    });
    this.ready = start.module.then((module) => this.post({ act: "start", ...start, module }));
    this.ready.catch((error) => this.end(error instanceof Error ? error.message : String(error)));
  }

  /** Notices the end of a worker that holds its lock, whatever ended it. @param {string} name */
  watch(name) {
    navigator.locks?.request(name, () => this.end("the browser ended it")).catch(() => null);
  }

  /** @param {Record<string, unknown>} call @param {(text: string) => void} [report] @returns {Promise<any>} */
  async call(call, report) {
    await arriving(this.ready);
    return this.post(call, report);
  }

  /** @param {Record<string, unknown>} call @param {(text: string) => void} [report] @returns {Promise<any>} */
  post(call, report = () => {}) {
    if (!this.alive) return Promise.reject(brokenOff("it is no more"));
    return new Promise((resolve, reject) => {
      this.count += 1;
      this.calls.set(this.count, { resolve, reject, report });
      this.worker.postMessage({ id: this.count, ...call });
    });
  }

  /** @param {any} message */
  receive({ id, report, done, error, broken, full }) {
    const call = this.calls.get(id);
    if (!call) return;
    if (report !== undefined) return call.report(report);
    this.calls.delete(id);
    if (error) {
      const { message, example, legal } = error.error;
      call.reject(new ApiError(error.status, message, example ?? null, 0, legal ?? null));
    } else if (broken !== undefined) {
      call.reject(full ? tooLarge(this.memory) : brokenOff(broken));
      this.end(broken);
    } else call.resolve(done);
  }

  /** Ends the worker at once. @param {string} [why] */
  end(why = "it was stopped") {
    if (!this.alive) return;
    this.alive = false;
    this.worker.terminate();
    for (const call of this.calls.values()) call.reject(brokenOff(why));
    this.calls.clear();
    this.ended(this);
  }
}

/** The page goes on: another worker takes the next call. @param {string} why */
function brokenOff(why) {
  return new ApiError(0, `the analysis broke off (${why}). It starts again.`, null, 1);
}

/** @param {number} memory */
function tooLarge(memory) {
  const allowed = Math.round(memory / 2 ** 20);
  return new ApiError(
    500,
    `this takes more than the ${allowed} MB that a worker has here. Choose more memory under More, or a smaller game.`,
    null,
    0,
  );
}
