// A worker: an engine, and messages to it and from it, one at a time. A call is answered by `done`, `refused` (in the
// engine's words) or `broken` (the engine is no more), and some tell something on the way.

import { Engine, book_of, initSync, version, was_full } from "./sowing.js";

/** @type {Engine} */
let engine;
/** The books of the site. @type {string[]} */
let books = [];
/** The book that the engine has. */
let book = "";
/** @typedef {import("./sowing.js").Planner} Planner */
/** Analyses by their numbers. @type {Map<number, Planner>} */
const plans = new Map();

/** Brings the book that would help. Without it everything is right all the same, and slower. @param {string} query */
async function open(query) {
  const name = book_of(new URLSearchParams(query).get("game") ?? "");
  if (!name || name === book || !books.includes(name)) return;
  try {
    const answer = await fetch(new URL(`books/${name}.book`, import.meta.url));
    if (!answer.ok) return;
    engine.add_book(new Uint8Array(await answer.arrayBuffer()));
    book = name;
  } catch {
    // No network, and nothing kept.
  }
}

/** What is new in a plan. @param {Planner} plan */
function news(plan) {
  return { news: JSON.parse(plan.news()), over: plan.is_over() };
}

/** What would come out the same when it is tried again. @param {string} message @returns {never} */
function refuse(message) {
  throw JSON.stringify({ status: 500, error: { message } });
}

/** @type {Record<string, (call: any, tell: (told: string) => void) => any>} */
const acts = {
  start({ module, memory, books: names, version: wanted }) {
    try {
      initSync({ module });
    } catch {
      refuse("the engine does not fit this page, or there is no memory for it. Reload the page.");
    }
    if (version() !== wanted) refuse(`the page is of version ${wanted}, its engine of ${version()}. Reload the page.`);
    engine = new Engine(memory);
    books = names;
  },
  answer: async ({ path, query }) => {
    if (path === "reply") await open(query);
    return engine.answer(path, query);
  },
  review: async ({ query }, tell) => {
    await open(query);
    return engine.review(query, tell);
  },
  perform: async ({ query, task }, tell) => {
    await open(query);
    return engine.perform(query, task, tell);
  },
  plan: async ({ plan, query }) => {
    await open(query);
    const planner = engine.plan(query);
    plans.set(plan, planner);
    return news(planner);
  },
  next: ({ plan }) => plans.get(plan)?.next(),
  progress({ plan, task, report }) {
    const found = plans.get(plan);
    found?.progress(task, report);
    return found ? news(found) : { news: [], over: true };
  },
  report({ plan, task, report }) {
    const found = plans.get(plan);
    if (!found) return { news: [], over: true };
    found.report(task, report);
    return { ...news(found), next: found.next() };
  },
  forget({ plan }) {
    plans.get(plan)?.free();
    plans.delete(plan);
  },
};

/** @param {any} call */
async function answer({ id, act, ...call }) {
  try {
    const done = await acts[act](call, (told) => self.postMessage({ id, told }));
    self.postMessage({ id, done });
  } catch (fault) {
    if (typeof fault === "string") return self.postMessage({ id, refused: JSON.parse(fault) });
    const full = engine && was_full();
    self.postMessage({ id, broken: fault instanceof Error ? fault.message : String(fault), full });
  }
}

/** One after the other. */
let last = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  last = last.then(() => answer(data));
});
// Whoever waits for this lock knows when the worker is gone, whatever ended it.
const hold = () => {
  self.postMessage({ here: true });
  return new Promise(() => {});
};
self.navigator.locks?.request(self.name, hold).catch(() => null);
