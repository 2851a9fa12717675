// The site without a server in Chromium: under a path of a plain host, then without a network, and when things go wrong.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { accessible, house, launch, settled } from "./browser.js";
import { said } from "./server.js";
import { host } from "./site.js";

/** @typedef {import("playwright-core").Page} Page */

const SOW = process.env.SOW ?? new URL("../target/debug/sow", import.meta.url).pathname;
const WASM = process.env.SOW_WASM ?? new URL("../target/wasm", import.meta.url).pathname;
const SITE = process.env.SOW_SITE ?? assert.fail("SOW_SITE names the folder of a site");

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A page that logs no error and asks no other host. @param {string} address @param {import("playwright-core").BrowserContextOptions} [options] */
async function open(address, options = {}) {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  context.on("request", (request) => request.url().startsWith(address) || faults.push(`asked ${request.url()}`));
  return { context, page, faults };
}

/** @param {Page} page */
async function kept(page) {
  await page.waitForFunction(
    () => /works without a network/.test(document.querySelector("#site")?.textContent ?? ""),
    undefined,
    { timeout: 60_000 },
  );
}

/** Waits for the end of an analysis. @param {Page} page */
async function solved(page) {
  await page.waitForFunction(
    () =>
      /^(Proven|Known)/.test(document.querySelector("#progress")?.textContent ?? "") &&
      document.querySelector("#cancel[hidden]"),
    undefined,
    { timeout: 60_000 },
  );
}

/** The values beside the moves. @param {Page} page @returns {Promise<string[]>} */
function worths(page) {
  return page
    .locator("#worths button")
    .evaluateAll((all) =>
      all.map((one) => `${one.getAttribute("data-move")} ${/[+\u2212]?\d+/.exec(one.textContent ?? "")?.[0]}`),
    );
}

/** Plays a game to its end, always the first house that is open. @param {Page} page */
async function playOut(page) {
  for (let moves = 0; moves < 300; moves += 1) {
    await page.waitForFunction(
      () =>
        document.querySelector(".house:not([aria-disabled])") || document.querySelector('#board[data-mover="nobody"]'),
    );
    const open = page.locator(".house:not([aria-disabled])");
    if ((await open.count()) === 0) break;
    const before = page.url();
    await open.first().click();
    await page.waitForFunction((before) => location.href !== before, before);
  }
  assert.equal(await page.locator("#board").getAttribute("data-mover"), "nobody");
  return (await page.locator("#status").textContent()) ?? "";
}

test("opened once, all of it works without a network", { timeout: 280_000 }, async () => {
  const site = await host(SITE);
  const { context, page, faults } = await open(site.address);
  try {
    await page.goto(`${site.address}/`);
    await settled(page, 0);
    await kept(page);
    // The host goes, and the network too.
    await site.stop();
    await context.setOffline(true);
    await page.reload();
    await settled(page, 0);

    // Kalah(6,4) is in the book, Kalah(6,3) is searched.
    await solved(page);
    assert.match((await page.locator("#verdict").textContent()) ?? "", /South wins by 8 with perfect play/);
    assert.match((await page.locator("#progress").textContent()) ?? "", /^Known/);
    await page.goto(`${site.address}/#game=kalah(6,4)&moves=3,6`);
    await page.reload();
    await settled(page, 2);
    await solved(page);
    assert.match((await page.locator("#progress").textContent()) ?? "", /^Known/, "from the book, by the engine");
    await page.goto(`${site.address}/#game=kalah(6,3)`);
    await page.reload();
    await settled(page, 0);
    await solved(page);
    const native = said("solve", "kalah(6,3)", "--json").pop();
    assert.match(
      (await page.locator("#verdict").textContent()) ?? "",
      new RegExp(`South wins by ${native.value} with perfect play`),
    );
    const wanted = native.moves.map(
      (/** @type {any} */ { move, value }) => `${move} ${value > 0 ? `+${value}` : value < 0 ? `\u2212${-value}` : 0}`,
    );
    assert.deepEqual((await worths(page)).sort(), wanted.sort());

    // A whole game against level 5, by the dialog, and its review.
    await page.locator("#new").click();
    await page.locator("#picker[open]").waitFor();
    await page.locator("#picker-opponent").selectOption("level:5");
    await page.getByRole("button", { name: "Start", exact: true }).last().click();
    await page.waitForFunction(() => location.hash.includes("north=level:5"));
    assert.match(await playOut(page), /wins by \d+|draw/i);
    await page.locator("#review").click();
    await page.waitForFunction(
      () => /South gave away \d+ points?, North \d+\./.test(document.querySelector("#report")?.textContent ?? ""),
      undefined,
      { timeout: 120_000 },
    );

    // S-Kalaha, too.
    await page.goto(`${site.address}/#game=s-kalaha(4,3)&north=level:3`);
    await page.reload();
    assert.match(await playOut(page), /wins by \d+|draw/i);

    // The other pages.
    await page.goto(`${site.address}/puzzles.html`);
    await page.waitForFunction(() => /One turn/.test(document.querySelector("#prompt")?.textContent ?? ""));
    await page.locator("#show").click();
    await page.waitForFunction(() => /^The turn is \d/.test(document.querySelector("#prompt")?.textContent ?? ""));
    await page.goto(`${site.address}/solitaire.html#stones=11`);
    await page.locator("#order .now").first().waitFor();
    await page.goto(`${site.address}/studies.html#thesis-4`);
    await page.locator("#study td.equal").first().waitFor();
    await page.goto(`${site.address}/learn.html`);
    await page.locator(".house").first().waitFor();
    await page.goto(`${site.address}/embed.html#game=kalah(4,3)&moves=2`);
    await page.locator(".house").first().waitFor();
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    await site.stop().catch(() => null);
  }
});

test("the first view is there before the engine, and the first move is played", { timeout: 60_000 }, async () => {
  /** @type {() => void} */
  let arrive = () => {};
  const arrived = new Promise((resolve) => (arrive = () => resolve(null)));
  const site = await host(SITE, async (path) => {
    if (path.endsWith(".wasm")) await arrived;
  });
  const { context, page, faults } = await open(site.address, { serviceWorkers: "block" });
  try {
    await page.goto(`${site.address}/`);
    await settled(page, 0);
    await solved(page);
    assert.match((await page.locator("#verdict").textContent()) ?? "", /South wins by 8/);
    await house(page, "south", 3).click();
    await settled(page, 1);
    await solved(page);
    await page.locator("#new").click();
    await page.locator("#picker[open]").waitFor();
    await page.keyboard.press("Escape");
    // The next one waits, and is played when the engine is there.
    await house(page, "south", 6).click();
    await page.getByText("The engine is on its way.").waitFor();
    await accessible(page, "waiting for the engine");
    arrive();
    await settled(page, 2);
    await page.getByText("The engine is on its way.").waitFor({ state: "hidden" });
    await solved(page);
    assert.ok(
      !site.asked.some((path) => path.includes("empty-capture.book") || path.includes("s-kalaha")),
      "books come when they are needed",
    );
    const real = faults.filter((fault) => !/ServiceWorker|service worker/i.test(fault));
    assert.deepEqual(real, []);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("a cancelled analysis is gone, and the next one starts", { timeout: 60_000 }, async () => {
  const site = await host(SITE);
  const { context, page, faults } = await open(site.address);
  try {
    await page.goto(`${site.address}/#game=kalah(7,6)&moves=1`);
    await page.waitForFunction(() => /\d/.test(document.querySelector("#progress")?.textContent ?? ""));
    await page.waitForTimeout(1500);
    await page.locator("#cancel").click();
    await page.locator("#cancel").waitFor({ state: "hidden" });
    await page.goto(`${site.address}/#game=kalah(4,3)`);
    await solved(page);
    assert.match((await page.locator("#verdict").textContent()) ?? "", /South wins by 6/);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("an engine that is missing or damaged: a sentence, no storm of requests, and the page goes on when it is there", {
  timeout: 90_000,
}, async () => {
  const site = await host(SITE);
  const { context, page } = await open(site.address, { serviceWorkers: "block" });
  let [fault, asked] = ["missing", 0];
  await context.route("**/*.wasm", async (route) => {
    asked += 1;
    if (fault === "missing") return route.fulfill({ status: 404, body: "not found" });
    const whole = await (await route.fetch()).body();
    return route.fulfill({ body: fault === "damaged" ? whole.subarray(0, whole.length / 2) : whole });
  });
  /** @param {RegExp} sentence */
  const says = async (sentence) => {
    for (const address of ["puzzles.html", "solitaire.html", "learn.html"]) {
      await page.goto(`${site.address}/${address}`);
      await page.locator("#fault").filter({ hasText: sentence }).waitFor();
    }
    // What is known without it is there.
    await page.goto(`${site.address}/#game=kalah(6,4)`);
    await settled(page, 0);
    await solved(page);
    await house(page, "south", 3).click();
    await settled(page, 1);
    asked = 0;
    await house(page, "south", 6).click();
    await page.locator("#fault").filter({ hasText: sentence }).waitFor();
    await page.waitForTimeout(1500);
    assert.ok(asked <= 3, `asked ${asked} times`);
  };
  try {
    await says(/^The engine cannot be fetched\. Is there a network\?$/);
    fault = "damaged";
    await says(
      /^The engine came damaged, or this browser is too old for it\. Reload the page, or take a newer browser\.$/,
    );
    fault = "";
    await house(page, "south", 6).click();
    await settled(page, 2);
    await solved(page);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("opened as a file, it says what it needs", async () => {
  const { context, page } = await open("file:");
  try {
    for (const name of ["index.html", "learn.html"]) {
      await page.goto(`file://${SITE}/${name}`);
      await page.getByText("Browsers run this page only from a web host, not from a file.").waitFor();
    }
  } finally {
    await context.close();
  }
});

test("a host that calls learn.html learn: kept all the same, by both names", { timeout: 60_000 }, async () => {
  const site = await host(SITE, () => {}, true);
  const { context, page, faults } = await open(site.address);
  try {
    await page.goto(`${site.address}/`);
    await kept(page);
    await site.stop();
    await context.setOffline(true);
    for (const name of ["", "index.html", "learn", "learn.html"]) {
      await page.goto(`${site.address}/${name}`);
      await page.locator(".house").first().waitFor();
    }
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    await site.stop().catch(() => null);
  }
});

test("a worker that is killed: a sentence, and the page goes on", { timeout: 90_000 }, async () => {
  const site = await host(SITE);
  const { context, page } = await open(site.address);
  await page.addInitScript(() => {
    const state = /** @type {any} */ (globalThis);
    state.workers = [];
    state.Worker = class extends Worker {
      /** @param {any} address @param {any} options */
      constructor(address, options) {
        super(address, options);
        state.workers.push(this);
      }
    };
  });
  try {
    await page.goto(`${site.address}/#game=kalah(6,5,empty-capture)&moves=1`);
    await page.waitForFunction(() => /** @type {any} */ (globalThis).workers.length > 1);
    await page.waitForTimeout(2000);
    // Nobody tells the page.
    await page.evaluate(() => {
      for (const one of /** @type {any} */ (globalThis).workers.slice(1)) one.terminate();
    });
    await page.waitForFunction(() => /broke off/.test(document.body.textContent ?? ""));
    // The front, too.
    await page.evaluate(() => /** @type {any} */ (globalThis).workers[0].terminate());
    await page.goto(`${site.address}/#game=kalah(4,3)&moves=2`);
    await settled(page, 1);
    await solved(page);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("a position too large for the memory: bounds, an estimate and a sentence", { timeout: 90_000 }, async () => {
  const site = await host(SITE);
  const { context, page, faults } = await open(site.address);
  try {
    await page.goto(`${site.address}/#game=kalah(7,7,clockwise)`);
    await page.waitForFunction(() =>
      /of memory, \d+ are allowed/.test(document.querySelector("#progress")?.textContent ?? ""),
    );
    assert.match((await page.locator("#verdict").textContent()) ?? "", /Not known yet\. It looks like \u2248/);
    assert.equal(await page.locator("#worths button").count(), 7, "every move has its estimate");
    // What takes too long has bounds and an estimate at any time.
    await page.goto(`${site.address}/#game=kalah(7,6)&moves=1`);
    await page.waitForFunction(() => /positions, \d/.test(document.querySelector("#progress")?.textContent ?? ""));
    assert.match((await page.locator("#verdict").textContent()) ?? "", /It looks like \u2248|at least|at most|between/);
    // Memory is the visitor's choice.
    await page.locator("#more-button").click();
    await page.locator("#memory").selectOption("512");
    await page.keyboard.press("Escape");
    await page.goto(`${site.address}/#game=kalah(4,3)`);
    await solved(page);
    assert.equal(await page.evaluate(() => localStorage.getItem("memory")), "512");
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("a browser that keeps nothing: it says so, and works", { timeout: 60_000 }, async () => {
  const site = await host(SITE);
  const { context, page } = await open(site.address);
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException("denied", "SecurityError");
    };
    Object.defineProperty(globalThis, "localStorage", { get: refuse });
    Object.defineProperty(globalThis, "caches", { get: refuse });
    ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException("denied", "SecurityError"));
  });
  try {
    await page.goto(`${site.address}/#game=kalah(4,3)`);
    await solved(page);
    await page.locator("#help").click();
    assert.match(
      (await page.locator("#site").textContent()) ?? "",
      /keeps nothing of it, so that it needs the network/,
    );
  } finally {
    await context.close();
    await site.stop();
  }
});

test("a site that cannot be kept whole is not kept: it says so, and works", { timeout: 60_000 }, async () => {
  // A file that is asked for only to be kept.
  const site = await host(SITE, (path) => !path.endsWith("/puzzles.html"));
  const { context, page } = await open(site.address);
  try {
    await page.goto(`${site.address}/#game=kalah(4,3)`);
    await page.waitForFunction(() => /keeps nothing of it/.test(document.querySelector("#site")?.textContent ?? ""));
    assert.deepEqual(await page.evaluate(() => caches.keys()), []);
    await solved(page);
  } finally {
    await context.close();
    await site.stop();
  }
});

test("an update comes as a whole, and a half-updated host is not taken", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sow-site-"));
  const [served, updated, engine] = ["served", "updated", "engine"].map((name) => join(folder, name));
  cpSync(SITE, served, { recursive: true });
  cpSync(SITE, updated, { recursive: true });
  cpSync(WASM, engine, { recursive: true });
  appendFileSync(join(engine, "sowing.js"), "\n// Another version.\n");
  execFileSync(SOW, ["site", updated, "--wasm", engine, "--time", "20ms"], { stdio: "ignore" });
  const stamps = readdirSync(updated).filter((name) => /-[0-9a-f]{10}$/.test(name));
  assert.equal(stamps.length, 2, "that before stays, for pages that are open");
  const site = await host(served);
  const { context, page } = await open(site.address);
  try {
    await page.goto(`${site.address}/#game=kalah(4,3)`);
    await kept(page);
    const old = await page.evaluate(() => document.querySelector("#site")?.textContent?.match(/\((.*?)\)/)?.[1] ?? "");
    const [fresh] = stamps.filter((stamp) => stamp !== old);
    const update = () =>
      page.evaluate(() =>
        navigator.serviceWorker
          .getRegistration()
          .then((one) => one?.update())
          .catch(() => null),
      );
    // Half of it: files are missing, or are not what they should be.
    cpSync(join(updated, "sw.js"), join(served, "sw.js"));
    await update();
    await page.waitForTimeout(1000);
    cpSync(join(updated, fresh), join(served, fresh), { recursive: true });
    await update();
    await page.waitForTimeout(1000);
    await page.reload();
    await solved(page);
    assert.equal(await page.locator("#update").count(), 0, "pages and parts are of two versions");
    assert.ok(await page.evaluate((old) => document.querySelector("#site")?.textContent?.includes(old), old));
    // All of it.
    cpSync(updated, served, { recursive: true });
    await update();
    await page.locator("#update button").waitFor();
    await accessible(page, "an update");
    const other = await context.newPage();
    await other.goto(`${site.address}/#game=kalah(4,3)`);
    await solved(other);
    await page.locator("#update button").click();
    // Who plays in another tab is not disturbed, but told.
    await other.getByText("This page is of an old version.").waitFor();
    assert.equal(
      await other.evaluate(() => document.querySelector("#site")?.textContent?.match(/\((.*?)\)/)?.[1]),
      old,
    );
    await other.locator("#update button").click();
    await other.waitForFunction((fresh) => document.querySelector("#site")?.textContent?.includes(fresh), fresh);
    await page.waitForFunction((fresh) => document.querySelector("#site")?.textContent?.includes(fresh), fresh);
    await solved(page);
    const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.ok(loaded.length > 10 && loaded.every((name) => !name.includes(old)), "no part of the old version");
  } finally {
    await context.close();
    await site.stop();
    rmSync(folder, { recursive: true });
  }
});
