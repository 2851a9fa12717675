// The board as a package: its files, and the example page that imports it, in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { accessible, counts, launch, shows, visit } from "./browser.js";
import { host } from "./site.js";

const CRATE = new URL("../crates/serve/", import.meta.url).pathname;

/** @type {Awaited<ReturnType<typeof host>>} */
let files;
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  files = await host(CRATE);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await files?.stop();
});

test("the package has all that its modules import, and nothing of the page", () => {
  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], {
      cwd: `${CRATE}web/board`,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  /** @type {string[]} */
  const paths = files.map((/** @type {{ path: string }} */ { path }) => path);
  assert.ok(["package.json", "README.md", "board.js", "board.css", "board.d.ts"].every((path) => paths.includes(path)));
  for (const path of paths.filter((one) => one.endsWith(".js"))) {
    const text = readFileSync(`${CRATE}web/board/${path}`, "utf8");
    for (const [, from] of text.matchAll(/from "([^"]+)"/g))
      assert.ok(paths.includes(from.replace("./", "")), `${path} imports ${from}`);
  }
});

for (const [width, height] of [
  [390, 844],
  [1280, 800],
]) {
  test(`a page of another site sows on the board, ${width} by ${height}`, { timeout: 60_000 }, () =>
    visit(browser, files.address, "/examples/board/index.html", { viewport: { width, height } }, async (page) => {
      await page.locator(".house:not([aria-disabled])").nth(5).waitFor();
      assert.equal(await counts(page), "4,4,4,4,4,4,0|4,4,4,4,4,4,0");
      assert.equal(await page.locator("#board .seeds circle").count(), 48);
      assert.equal(await page.locator("#board .upright").count(), height > width ? 1 : 0);
      await accessible(page, "example");
      await page.getByRole("button", { name: "South house 5, 4 seeds" }).click();
      await shows(page, "4,4,4,4,0,5,1|5,5,4,4,4,4,0");
      assert.equal(await page.locator("#status").textContent(), "House 5 is sown.");
      assert.equal(await page.locator(".house:not([aria-disabled])").count(), 5, "an empty house is closed");
      // The keyboard works like a click.
      await page.locator('[data-pit="south 6"]').focus();
      await page.keyboard.press("Enter");
      await shows(page, "4,4,4,4,0,0,2|6,6,5,5,4,4,0");
      await page.locator("#reset").click();
      await shows(page, "4,4,4,4,4,4,0|4,4,4,4,4,4,0");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      assert.ok(
        files.asked.every((path) => /\/(web\/board|examples\/board)\/|favicon/.test(path)),
        files.asked.join(),
      );
    }),
  );
}

test("the code of the README works as it stands", { timeout: 60_000 }, () =>
  visit(browser, files.address, "/examples/board/index.html", {}, async (page) => {
    const readme = readFileSync(`${CRATE}web/board/README.md`, "utf8");
    const [, code] = /```html\n([\s\S]*?)```/.exec(readme) ?? assert.fail("no code");
    const body = `<link rel="icon" href="data:," />${code.replaceAll("node_modules/sowing-board/", "web/board/")}`;
    await page.route("**/readme.html", (route) => route.fulfill({ contentType: "text/html", body }));
    await page.goto(`${files.address}/readme.html`);
    await page.getByRole("button", { name: "South house 3, 4 seeds" }).click();
    await shows(page, "4,4,0,5,5,5,1|4,4,4,4,4,4,0");
    await page.locator(".house:not([aria-disabled])").waitFor({ state: "detached" });
    assert.equal(await counts(page), "4,4,0,5,5,5,1|4,4,4,4,4,4,0");
  }),
);

test("the example is animated unless less motion is preferred", { timeout: 60_000 }, () =>
  visit(browser, files.address, "/examples/board/index.html", { reducedMotion: "no-preference" }, async (page) => {
    await page.getByRole("button", { name: "South house 1, 4 seeds" }).click();
    await page.waitForFunction(() => document.querySelector("#board .hand circle"));
    await shows(page, "0,5,5,5,5,4,0|4,4,4,4,4,4,0");
    assert.equal(await page.locator("#board .hand circle").count(), 0);
  }),
);
