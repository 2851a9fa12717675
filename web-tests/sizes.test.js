// The board at the sizes that people have, in light and dark: it fits, can be used, and nothing jumps.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, counts, house, launch, settled, visit, watchShifts } from "./browser.js";
import { serve } from "./server.js";

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const SIZES = [
  [390, 844],
  [844, 390],
  [1280, 800],
  [1920, 1080],
];

test("from a cold server, every house of Kalah(6,4) has its value without a search", { timeout: 60_000 }, async () => {
  const cold = await serve();
  try {
    const answer = await fetch(`${cold.address}/api/v1/analysis?game=kalah(6,4)`);
    const text = await answer.text();
    const done = JSON.parse(text.slice(text.lastIndexOf("data: ") + 6));
    assert.deepEqual([done.source, done.nodes], ["book", 0]);
    const moves = done.moves.map((/** @type {any} */ { move, value }) => [move, value]);
    assert.deepEqual(moves, [
      ["3", 8],
      ["6", 4],
      ["4", -2],
      ["5", -8],
      ["2", -10],
      ["1", -14],
    ]);
    await visit(browser, cold.address, "/#game=kalah(6,4)", {}, async (page) => {
      await page.waitForFunction(() => document.querySelectorAll("#board .chip:not(.open)").length === 6);
      assert.equal(await page.locator("#progress").textContent(), "Known from the book of openings.");
      assert.equal(await page.locator("#board .chip.best").count(), 1);
    });
  } finally {
    await cold.stop();
  }
});

test("thirty readers at once all have values while other games hold all slots", { timeout: 60_000 }, async () => {
  // Both slots are held by games that take hours.
  const abort = new AbortController();
  const held = ["kalah(7,7)", "kalah(8,8)"].map((game) =>
    fetch(`${server.address}/api/v1/analysis?game=${game}`, { signal: abort.signal }),
  );
  await Promise.all(held);
  const all = await Promise.all(
    Array.from({ length: 30 }, async () => (await fetch(`${server.address}/api/v1/analysis?game=kalah(6,4)`)).text()),
  );
  abort.abort();
  await Promise.allSettled(held);
  assert.ok(all.every((text) => text.includes('"value":-14')));
});

for (const [width, height] of SIZES) {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const options = { viewport: { width, height }, colorScheme, hasTouch: width < 900, isMobile: width < 900 };
    test(
      `${width} by ${height}, ${colorScheme}: all of the board is seen, and nothing jumps while stepping`,
      { timeout: 60_000 },
      () =>
        visit(browser, server.address, "/#game=kalah(4,3)&moves=2,1,2,3,2,4,2,1&at=0", options, async (page) => {
          await settled(page, 0);
          await page.waitForFunction(() =>
            /^(Proven|Known)/.test(document.querySelector("#progress")?.textContent ?? ""),
          );
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
          const box = await page.locator("#board").boundingBox();
          assert.ok(box && box.y + box.height <= height, `the board ends at ${box && box.y + box.height}`);
          const forward = await page.locator("#forward").boundingBox();
          assert.ok(
            forward && forward.y + forward.height <= height + 1,
            `the buttons end at ${forward && forward.y + forward.height}`,
          );
          assert.equal(await page.locator("#board .upright").count(), height > width ? 1 : 0);
          const shifted = await watchShifts(page);
          const top = await page.locator("#forward").evaluate((one) => one.getBoundingClientRect().top + scrollY);
          for (let at = 1; at <= 8; at += 1) {
            await page.locator("#forward").click();
            await settled(page, at);
            const now = await page.locator("#forward").evaluate((one) => one.getBoundingClientRect().top + scrollY);
            assert.ok(Math.abs(now - top) < 1, `step ${at}: the buttons moved by ${now - top}`);
          }
          const shift = await shifted();
          assert.ok(shift < 0.1, `layout shift ${shift}`);
          await accessible(page, `${width} by ${height}`);
        }),
    );
  }
}

test("one, two and sixteen houses fit every size", { timeout: 120_000 }, async () => {
  for (const [width, height] of SIZES) {
    await visit(browser, server.address, "/#game=kalah(1,2)", { viewport: { width, height } }, async (page) => {
      for (const houses of [1, 2, 16]) {
        await page.goto(`${server.address}/#game=kalah(${houses},2)`);
        await page.waitForFunction(
          (houses) => document.querySelectorAll("#board .house").length === 2 * houses,
          houses,
        );
        const where = `${houses} houses at ${width} by ${height}`;
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, where);
        const box = await page.locator("#board").boundingBox();
        if (houses < 16) assert.ok(box && box.y + box.height <= height, where);
        // Counts can be read: at least eleven pixels on a telephone on its side, fourteen elsewhere.
        const size = await page.evaluate(
          () => document.querySelector("#board .count")?.getBoundingClientRect().height ?? 0,
        );
        assert.ok(size >= (height < 500 ? 11 : 14), `${where}: counts are ${size} pixels high`);
      }
    });
  }
});

test("a tap leaves no hover behind", { timeout: 60_000 }, () =>
  visit(
    browser,
    server.address,
    "/#game=kalah(4,3)",
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    async (page) => {
      await settled(page, 0);
      await house(page, "south", 1).tap();
      await settled(page, 1);
      assert.equal(await page.locator("#board .hole.target").count(), 0);
      assert.match((await page.locator("#status").textContent()) ?? "", /^South sowed house 1/);
      assert.notEqual(await counts(page), "");
    },
  ),
);

test("busy slots: one steady wording, and a review that waits for its turn", { timeout: 60_000 }, () =>
  visit(browser, server.address, "/learn.html", { refusals: true }, async (page) => {
    // The server turns everybody away for a while.
    let busy = true;
    for (const path of ["analysis", "review"]) {
      await page.route(`**/api/v1/${path}?*`, (route) =>
        busy
          ? route.fulfill({
              status: 503,
              headers: { "Retry-After": "1" },
              json: { error: { message: "all slots are busy", example: null } },
            })
          : route.continue(),
      );
    }
    await page.goto(`${server.address}/#game=kalah(4,3)&moves=1,1,2`);
    await page.waitForFunction(() => /yours comes next/.test(document.querySelector("#progress")?.textContent ?? ""));
    await page.evaluate(() => {
      const state = /** @type {any} */ (globalThis);
      state.seen = new Set();
      const look = () =>
        state.seen.add(
          `${document.querySelector("#verdict")?.textContent} ${document.querySelector("#progress")?.textContent}`,
        );
      new MutationObserver(look).observe(/** @type {Element} */ (document.querySelector("#worth")), {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await page.locator("#review").click();
    await page.waitForFunction(() => /yours comes next/.test(document.querySelector("#report")?.textContent ?? ""));
    await page.waitForTimeout(2500);
    assert.ok((await page.evaluate(() => /** @type {any} */ (globalThis).seen.size)) <= 1, "one wording");
    busy = false;
    await page.waitForFunction(() => /gave away/.test(document.querySelector("#report")?.textContent ?? ""));
    await page.waitForFunction(() => /^(Proven|Known)/.test(document.querySelector("#progress")?.textContent ?? ""));
  }),
);
