// Chromium, and pages that notice whatever goes wrong in them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */
/** `refusals`: the test asks for what the server refuses, which the browser logs as an error.
 * @typedef {import("playwright-core").BrowserContextOptions & { refusals?: boolean }} Options */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * Runs a test in a page of its own, which must log no error and ask no other host.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} address
 * @param {string} path
 * @param {Options} options
 * @param {(page: Page) => Promise<void>} run
 */
export async function visit(browser, address, path, { refusals = false, ...options }, run) {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => {
    const refusal = refusals && /status of (400|503)|net::ERR/.test(message.text());
    if (message.type() === "error" && !refusal) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("request", (request) => request.url().startsWith(address) || faults.push(`asked ${request.url()}`));
  try {
    await page.goto(address + path);
    await run(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

/** Fails on serious faults that axe finds. @param {Page} page @param {string} where */
export async function accessible(page, where) {
  // The content security policy keeps foreign script out of the page itself; this runs beside it.
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const axe = /** @type {any} */ (globalThis).axe;
    const { violations } = await axe.run();
    return violations.map((/** @type {any} */ one) => ({
      id: one.id,
      impact: one.impact,
      nodes: one.nodes.map((/** @type {any} */ node) => `${node.html} ${node.failureSummary}`),
    }));
  });
  const serious = violations.filter((/** @type {any} */ { impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious, [], where);
}

/** @param {Page} page @param {string} side @param {number} house */
export function house(page, side, house) {
  return page.locator(`[data-pit="${side} ${house}"]`);
}

/** The position shown, as the mover sees it: what Share tells. @param {Page} page */
export async function position(page) {
  await page.locator("#share").click();
  await page.locator("#sharer[open]").waitFor();
  const text = (await page.locator("#notation").textContent()) ?? "";
  await page.keyboard.press("Escape");
  await page.locator("#sharer").waitFor({ state: "hidden" });
  return text;
}

/** What Share puts on the clipboard. @param {Page} page @param {string} what */
export async function copied(page, what) {
  await page.evaluate(() => navigator.clipboard.writeText("nothing"));
  await page.locator("#share").click();
  await page.locator(`[data-copy="${what}"]`).click();
  await page.waitForFunction(() => document.querySelector("#share-said")?.textContent === "Copied.");
  await page.keyboard.press("Escape");
  await page.locator("#sharer").waitFor({ state: "hidden" });
  return page.evaluate(() => navigator.clipboard.readText());
}

/** How much the page has moved under the reader since it was watched. @param {Page} page */
export async function watchShifts(page) {
  await page.evaluate(() => {
    const state = /** @type {any} */ (globalThis);
    state.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) state.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => /** @type {number} */ (/** @type {any} */ (globalThis).shift));
}

/** The numbers drawn on the board: South's houses and store, then North's. @param {Page} page @returns {Promise<string>} */
export async function counts(page) {
  const texts = await page.locator("#board .count").allTextContents();
  return `${texts.slice(0, texts.length / 2).join()}|${texts.slice(texts.length / 2).join()}`;
}

/** Waits until the board shows these numbers. @param {Page} page @param {string} wanted as from {@link counts} */
export async function shows(page, wanted) {
  await page.waitForFunction((wanted) => {
    const texts = [...document.querySelectorAll("#board .count")].map((one) => one.textContent);
    return `${texts.slice(0, texts.length / 2).join()}|${texts.slice(texts.length / 2).join()}` === wanted;
  }, wanted);
}

/** Waits until so many moves have been played and their animation is over. @param {Page} page @param {number} moves */
export async function settled(page, moves) {
  await page.waitForFunction((moves) => {
    const line = new URLSearchParams(location.hash.slice(1));
    const played = (line.get("moves") ?? "").split(",").filter(Boolean).length;
    const open = document.querySelectorAll(".house:not([aria-disabled])").length > 0;
    const over = document.querySelector("#board")?.getAttribute("data-mover") === "nobody";
    return Number(line.get("at") ?? played) === moves && (open || over);
  }, moves);
}
