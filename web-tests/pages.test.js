// The pages beside the board, in Chromium: lessons, puzzles, studies, a board in a frame of another page.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { LESSONS } from "../crates/serve/web/lessons.js";
import { accessible, house, launch, visit } from "./browser.js";
import { serve } from "./server.js";

/** @typedef {import("playwright-core").Page} Page */

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

/** @param {string} name @param {string} path @param {import("./browser.js").Options} options @param {(page: Page) => Promise<void>} run */
function check(name, path, options, run) {
  test(name, { timeout: 60_000 }, () => visit(browser, server.address, path, options, run));
}

/** @param {Page} page @param {string | RegExp} wanted */
async function prompted(page, wanted) {
  const pattern = typeof wanted === "string" ? `^${wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}` : wanted.source;
  await page.waitForFunction(
    (pattern) => new RegExp(pattern).test(document.querySelector("#prompt")?.textContent ?? ""),
    pattern,
  );
}

for (const lesson of LESSONS) {
  check(`the lesson ${lesson.name} is passed by playing it`, `/learn.html#lesson=${lesson.name}`, {}, async (page) => {
    for (const step of lesson.steps) {
      await prompted(page, step.ask);
      await page.locator(".house:not([aria-disabled])").first().waitFor();
      const open = await page
        .locator(".house:not([aria-disabled])")
        .evaluateAll((all) =>
          all.map((one) => ({ pit: one.getAttribute("data-pit") ?? "", label: one.getAttribute("aria-label") ?? "" })),
        );
      const fits = (/** @type {typeof open[number]} */ { pit, label }) => {
        if (step.moves === "any") return true;
        if (step.moves === "again") return label.includes("moves again");
        if (step.moves === "capture") return label.includes("captures");
        return step.moves.includes(pit.split(" ")[1]);
      };
      const [right, wrong] = [open.find(fits), open.find((one) => !fits(one))];
      assert.ok(right, `${step.ask} ${JSON.stringify(open)}`);
      if (wrong) {
        await page.locator(`[data-pit="${wrong.pit}"]`).click();
        await prompted(page, /Try another house\.$/);
      }
      await page.locator(`[data-pit="${right.pit}"]`).click();
      await prompted(page, step.right);
    }
    const last = lesson === LESSONS[LESSONS.length - 1];
    await page.locator(last ? "#play:not([hidden])" : "#next:not([hidden])").waitFor();
    assert.match((await page.locator("#lessons [aria-current]").textContent()) ?? "", /^\u2713/);
    if (lesson.name === "capture") assert.match((await page.locator("#prompt").textContent()) ?? "", /capture/);
  });
}

check("a puzzle: wrong, shown, right, and the streak", "/puzzles.html", {}, async (page) => {
  await page.locator(".house:not([aria-disabled])").first().waitFor();
  const { puzzles } = await (await fetch(`${server.address}/api/v1/puzzles`)).json();
  const at = decodeURIComponent(new URL(page.url()).hash.slice(1));
  assert.equal(at, puzzles[Math.floor(Date.now() / 86_400_000) % puzzles.length].position, "one a day");
  const puzzle = puzzles.find((/** @type {any} */ one) => one.turn.length === 1);
  await page.goto(`${server.address}/puzzles.html#${puzzle.position}`);
  await page.reload();
  await prompted(page, /One turn (wins|loses|draws)/);
  const open = page.locator(".house:not([aria-disabled])");
  await open.first().waitFor();
  const houses = await open.evaluateAll((all) => all.map((one) => (one.getAttribute("data-pit") ?? "").split(" ")[1]));
  const labels = await open.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
  const wrong = houses.find((one, i) => one !== puzzle.turn[0] && !labels[i].includes("moves again"));
  if (wrong) {
    await house(page, "south", Number(wrong)).click();
    await prompted(page, /not the best turn/);
    await page.locator("#retry").click();
    await prompted(page, /One turn/);
    await open.first().waitFor();
  }
  await house(page, "south", Number(puzzle.turn[0])).click();
  await prompted(page, /^Right: /);
  assert.equal(await page.locator("#streak").textContent(), "1 day in a row");
  await page.locator("#next").click();
  await prompted(page, /One turn/);
  await page.locator("#show").click();
  await prompted(page, /^The turn is \d/);
  await page.locator("#theme").selectOption("capture");
  await page.waitForFunction(() => /capture/.test(document.querySelector("#about")?.textContent ?? ""));
  await accessible(page, "puzzles");
});

check("studies: the print beside ours", "/studies.html#thesis-4", {}, async (page) => {
  await page.locator("#study td").first().waitFor({ timeout: 45_000 });
  assert.ok((await page.locator("#study td.equal").count()) > 3);
  assert.match((await page.locator("#study").textContent()) ?? "", /as printed/);
  await accessible(page, "studies");
});

test("a board stands in a frame of another page, and starts no work unasked", { timeout: 60_000 }, async () => {
  const frame = `<!doctype html><title>Elsewhere</title><iframe src="${server.address}/embed.html#game=kalah(4,3)&amp;moves=2" width="640" height="420"></iframe>`;
  const elsewhere = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(frame));
  await new Promise((ready) => elsewhere.listen(0, "127.0.0.1", () => ready(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (elsewhere.address());
  const context = await browser.newContext({ reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`http://localhost:${port}/`);
    const board = page.frameLocator("iframe");
    await board.locator(".house:not([aria-disabled])").first().waitFor();
    await board.locator(".house:not([aria-disabled])").first().click();
    await board.locator("#back:not(:disabled)").waitFor();
    assert.ok(!asked.some((url) => url.includes("/api/v1/analysis")), "nobody asked for values");
    await board.locator("#values").click();
    await board.locator(".chip").first().waitFor();
    // The board itself does not let itself be framed, and other sites cannot ask for work.
    const refused = await page.evaluate(
      (address) =>
        fetch(`${address}/api/v1/analysis?game=kalah(3,2)`, { mode: "no-cors" }).then(
          (answer) => answer.type,
          () => "refused",
        ),
      server.address,
    );
    assert.equal(refused, "refused", "the policy of resources keeps it from being read");
    const answer = await fetch(`${server.address}/api/v1/analysis?game=kalah(3,2)`, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assert.equal(answer.status, 403);
    assert.match(
      (await fetch(`${server.address}/`)).headers.get("content-security-policy") ?? "",
      /frame-ancestors 'none'/,
    );
  } finally {
    await context.close();
    elsewhere.close();
  }
});

check("a picture opened by itself is not black", "/api/v1/board.svg?game=kalah(6,4)", {}, async (page) => {
  const fill = await page.evaluate(
    () => getComputedStyle(/** @type {Element} */ (document.querySelector(".wood"))).fill,
  );
  assert.notEqual(fill, "rgb(0, 0, 0)");
});

check("two boards fit on one page, and go", "/learn.html", {}, async (page) => {
  await page.locator("#board .house").first().waitFor();
  const counts = await page.evaluate(async () => {
    const { Board } = await import(/** @type {string} */ ("/board/board.js"));
    const hosts = [0, 1].map(() =>
      document.body.appendChild(Object.assign(document.createElement("div"), { className: "board" })),
    );
    const row = (/** @type {number} */ n) => ({ houses: [n, n], store: 0 });
    const boards = hosts.map((host, i) => new Board(host, { seeds: { south: row(i + 1), north: row(2) } }));
    const seen = hosts.map((host) => host.querySelectorAll(".seeds circle").length);
    boards[0].set({ seeds: { south: row(3), north: row(2) } });
    const changed = hosts.map((host) => host.querySelectorAll(".seeds circle").length);
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    for (const board of boards) board.destroy();
    return { seen, changed, twice: ids.length - new Set(ids).size, left: hosts.map((host) => host.childElementCount) };
  });
  assert.deepEqual(counts, { seen: [6, 8], changed: [10, 8], twice: 0, left: [0, 0] });
});

check(
  "a bad number of stones is answered with a sentence",
  "/solitaire.html#stones=-3",
  { refusals: true },
  async (page) => {
    await page.locator("#fault:not([hidden])").waitFor();
    assert.match((await page.locator("#fault").textContent()) ?? "", /Stones is a number from 1 to 300, not "?-3/);
  },
);

for (const path of ["/learn.html", "/puzzles.html", "/solitaire.html"]) {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [1280, 800],
  ]) {
    check(
      `${path} fits ${width} by ${height}`,
      path,
      { viewport: { width, height }, colorScheme: width === 844 ? "dark" : "light" },
      async (page) => {
        await page
          .locator(path.includes("solitaire") ? "#order .now" : ".house:not([aria-disabled])")
          .first()
          .waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        if (width !== 1280) await accessible(page, path);
      },
    );
  }
}
