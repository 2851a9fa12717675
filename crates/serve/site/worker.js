// A worker: an engine, and one call at a time. A call is answered by `done`, `error` (of the engine) or `broken` (the
// engine has failed); some calls send a `report` on the way.

import { book_of, Engine, initSync, version, was_full } from "./sowing.js";

/** @type {Engine} */
let engine;
/** The books of the site. @type {string[]} */
let books = [];
/** The book that the engine has. */
let book = "";
/** @typedef {import("./sowing.js").Planner} Planner */
/** Analyses by their numbers. @type {Map<number, Planner>} */
const plans = new Map();

/** Fetches the book of the game. Without it the results are the same, and slower. @param {string} query */
async function open(query) {
  const name = book_of(new URLSearchParams(query).get("game") ?? "");
  if (!name || name === book || !books.includes(name)) return;
  try {
    const answer = await fetch(new URL(`books/${name}.book`, import.meta.url));
    if (!answer.ok) return;
    engine.add_book(new Uint8Array(await answer.arrayBuffer()));
    book = name;
  } catch {
    // No network, and no copy.
  }
}

/** The new findings of a plan. @param {Planner} plan */
function findings(plan) {
  return { findings: JSON.parse(plan.findings()), over: plan.is_over() };
}

/** Fails in a way that a second attempt would not change. @param {string} message @returns {never} */
function fail(message) {
  throw JSON.stringify({ status: 500, error: { message } });
}

/** @type {Record<string, (call: any, report: (text: string) => void) => any>} */
const acts = {
  start({ module, memory, books: names, version: wanted }) {
    try {
      initSync({ module });
    } catch {
      fail("the engine does not fit this page, or there is no memory for it. Reload the page.");
    }
    if (version() !== wanted) fail(`the page is of version ${wanted}, its engine of ${version()}. Reload the page.`);
    engine = new Engine(memory);
    books = names;
  },
  answer: async ({ path, query }) => {
    if (path === "reply") await open(query);
    return engine.answer(path, query);
  },
  review: async ({ query }, report) => {
    await open(query);
    return engine.review(query, report);
  },
  perform: async ({ query, task }, report) => {
    await open(query);
    return engine.perform(query, task, report);
  },
  plan: async ({ plan, query }) => {
    await open(query);
    const planner = engine.plan(query);
    plans.set(plan, planner);
    return findings(planner);
  },
  next: ({ plan }) => plans.get(plan)?.next(),
  progress({ plan, task, report }) {
    const found = plans.get(plan);
    found?.progress(task, report);
    return found ? findings(found) : { findings: [], over: true };
  },
  report({ plan, task, report }) {
    const found = plans.get(plan);
    if (!found) return { findings: [], over: true };
    found.report(task, report);
    return { ...findings(found), next: found.next() };
  },
  forget({ plan }) {
    plans.get(plan)?.free();
    plans.delete(plan);
  },
};

/** @param {any} call */
async function answer({ id, act, ...call }) {
  try {
    const done = await acts[act](call, (report) => self.postMessage({ id, report }));
    self.postMessage({ id, done });
  } catch (error) {
    // The engine throws the JSON of its errors.
    if (typeof error === "string") return self.postMessage({ id, error: JSON.parse(error) });
    const full = engine && was_full();
    self.postMessage({ id, broken: error instanceof Error ? error.message : String(error), full });
  }
}

/** One after the other. */
let last = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  last = last.then(() => answer(data));
});
// The page waits for this lock: it gets it when the worker has ended, for whatever reason.
const hold = () => {
  self.postMessage({ here: true });
  return new Promise(() => {});
};
self.navigator.locks?.request(self.name, hold).catch(() => null);
