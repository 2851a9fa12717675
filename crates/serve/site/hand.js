// A worker as the page sees it: calls that are answered, and an end that is noticed.

import { arriving } from "./arriving.js";
import { Refusal } from "./refusal.js";

/** @typedef {{ resolve: (done: any) => void, reject: (fault: unknown) => void, tell: (told: string) => void }} Call */

/** What every worker is started with. @typedef {{ module: Promise<WebAssembly.Module>, memory: number, books: string[], version: string }} Start */

let made = 0;

export class Hand {
  /** @param {Start} start @param {(hand: Hand) => void} gone called once, when it is no more */
  constructor(start, gone) {
    made += 1;
    this.memory = start.memory;
    this.gone = gone;
    this.alive = true;
    /** The game that it was busy with last: it is warm for that one. */
    this.game = "";
    /** @type {Map<number, Call>} */
    this.calls = new Map();
    this.count = 0;
    const name = `sowing ${Date.now()} ${made} ${Math.random()}`;
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name });
    this.worker.addEventListener("message", ({ data }) => (data.here ? this.watch(name) : this.hear(data)));
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.end(event.message || "its worker cannot be started");
    });
    this.ready = start.module.then((module) => this.post({ act: "start", ...start, module }));
    this.ready.catch((fault) => this.end(fault instanceof Error ? fault.message : String(fault)));
  }

  /** Notices when a worker that holds its lock is ended by somebody else. @param {string} name */
  watch(name) {
    navigator.locks?.request(name, () => this.end("the browser ended it")).catch(() => null);
  }

  /** @param {Record<string, unknown>} call @param {(told: string) => void} [tell] @returns {Promise<any>} */
  async call(call, tell) {
    await arriving(this.ready);
    return this.post(call, tell);
  }

  /** @param {Record<string, unknown>} call @param {(told: string) => void} [tell] @returns {Promise<any>} */
  post(call, tell = () => {}) {
    if (!this.alive) return Promise.reject(lost("it is no more"));
    return new Promise((resolve, reject) => {
      this.count += 1;
      this.calls.set(this.count, { resolve, reject, tell });
      this.worker.postMessage({ id: this.count, ...call });
    });
  }

  /** @param {any} message */
  hear({ id, told, done, refused, broken, full }) {
    const call = this.calls.get(id);
    if (!call) return;
    if (told !== undefined) return call.tell(told);
    this.calls.delete(id);
    if (refused) {
      const { message, example, legal } = refused.error;
      call.reject(new Refusal(refused.status, message, example ?? null, 0, legal ?? null));
    } else if (broken !== undefined) {
      call.reject(full ? tooLarge(this.memory) : lost(broken));
      this.end(broken);
    } else call.resolve(done);
  }

  /** Ends it, at once. @param {string} [why] */
  end(why = "it was stopped") {
    if (!this.alive) return;
    this.alive = false;
    this.worker.terminate();
    for (const call of this.calls.values()) call.reject(lost(why));
    this.calls.clear();
    this.gone(this);
  }
}

/** The page goes on: whoever asks again is answered by another. @param {string} why */
function lost(why) {
  return new Refusal(0, `the analysis broke off (${why}). It starts again.`, null, 1);
}

/** @param {number} memory */
function tooLarge(memory) {
  const allowed = Math.round(memory / 2 ** 20);
  return new Refusal(500, `this takes more than the ${allowed} MB that a worker has here. Choose more memory under More, or a smaller game.`, null, 0);
}
