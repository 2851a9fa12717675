// The analysis board in Chromium, against a server of its own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, copied, counts, house, launch, position, settled, shows, visit } from "./browser.js";
import { said, serve, sow } from "./server.js";

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

const SMALL = "/#game=kalah(4,3)";

/** The chips on the board, by house. @param {Page} page @param {string} side */
async function worths(page, side) {
  await page.waitForFunction(
    () =>
      /^(Proven|Known)/.test(document.querySelector("#progress")?.textContent ?? "") &&
      document.querySelector("#cancel[hidden]"),
  );
  return page.evaluate((side) => {
    /** @type {Record<string, string>} */
    const found = {};
    const box = (/** @type {Element} */ element) => element.getBoundingClientRect();
    for (const chip of document.querySelectorAll("#board .chip")) {
      const middle = box(chip).x + box(chip).width / 2;
      const button = [...document.querySelectorAll(`[data-pit^="${side}"]`)].find(
        (one) => box(one).left < middle && middle < box(one).right,
      );
      found[button?.getAttribute("data-pit") ?? "nowhere"] = (chip.textContent ?? "").replace("\u2605 ", "");
    }
    return found;
  }, side);
}

/** @param {number} value */
function signed(value) {
  return value < 0 ? `\u2212${-value}` : value > 0 ? `+${value}` : "0";
}

for (const [game, side, at] of [
  ["kalah(4,3)", "south", ""],
  ["kalah(4,3)", "north", "1"],
  ["s-kalaha(3,3)", "south", ""],
  ["kalah(3,3,clockwise)", "south", ""],
]) {
  check(`values on houses are those of sow solve: ${game} ${at}`, `/#game=${game}&moves=${at}`, {}, async (page) => {
    await settled(page, at ? 1 : 0);
    const { value, moves } = sow("solve", game, await position(page), "--json");
    const wanted = Object.fromEntries(
      moves.map((/** @type {any} */ one) => [`${side} ${one.move}`, signed(one.value)]),
    );
    assert.deepEqual(await worths(page, side), wanted);
    const best = moves.filter((/** @type {any} */ one) => one.value === value).length;
    assert.equal(await page.locator("#board .chip.best").count(), best);
    const listed = await page
      .locator("#worths button")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-move")));
    assert.equal(listed.length, moves.length);
    assert.equal(moves.find((/** @type {any} */ one) => one.move === listed[0]).value, value);
    assert.match(
      (await page.locator("#verdict").textContent()) ?? "",
      /(South|North) wins by \d+ with perfect play\.|draw/i,
    );
    assert.match((await page.locator("#best-turn").textContent()) ?? "", /^(South|North).s best: \d(, then \d)*$/);
    assert.equal(await page.locator("#board .hole.best").count(), best, "the best houses have their own ring");
  });
}

check("a whole game against the computer, its end explained, and a rematch", "/#game=kalah(3,2)", {}, async (page) => {
  await settled(page, 0);
  await page.locator("#new").click();
  await page.locator("#picker[open]").waitFor();
  assert.ok(
    await page.locator('[name="mode"][value="computer"]').isChecked(),
    "playing the computer is the first choice",
  );
  await page.locator("#picker-opponent").selectOption("level:1");
  await page.getByRole("button", { name: "Start", exact: true }).last().click();
  await page.waitForFunction(() => location.hash.includes("north=level:1"));
  const before = await page.evaluate(() => history.length);
  for (let moves = 0; moves < 200; moves += 1) {
    await page.waitForFunction(
      () =>
        document.querySelector(".house:not([aria-disabled])") || document.querySelector('#board[data-mover="nobody"]'),
    );
    const open = page.locator(".house:not([aria-disabled])");
    if ((await open.count()) === 0) break;
    assert.match(
      (await open.first().getAttribute("data-pit")) ?? "",
      /^south/,
      "the machine's houses are not the visitor's",
    );
    const before = page.url();
    await open.first().click();
    await page.waitForFunction((before) => location.href !== before, before);
  }
  assert.equal(await page.evaluate(() => history.length), before, "moves do not pile up behind Back");
  const said = (await page.locator("#status").textContent()) ?? "";
  const replayed = sow("replay", "kalah(3,2)", await copied(page, "record"), "--json");
  assert.equal(replayed.finished, true);
  // The score counts the seeds left in the rows, and the board shows the same.
  const [, south, north] = (await counts(page)).match(/0,0,0,(\d+)\|0,0,0,(\d+)/) ?? assert.fail(await counts(page));
  const margin = Number(south) - Number(north);
  assert.equal(Number(south) + Number(north), 12);
  assert.equal(
    replayed.result,
    margin === 0 ? "draw" : `${margin > 0 ? "South" : "North"} wins by ${Math.abs(margin)}`,
  );
  if (margin !== 0)
    assert.match(
      said,
      new RegExp(
        `(South|North) wins by ${Math.abs(margin)}, ${Math.max(+south, +north)} to ${Math.min(+south, +north)}\\.`,
      ),
    );
  await page.locator("#rematch").click();
  await page.waitForFunction(() => location.hash.includes("south=level:1"));
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes("north=level:1"));
  await page.goBack();
  await page.waitForFunction(() => !location.hash.includes("level"), undefined, { timeout: 5000 });
});

check("the picker closes what cannot go together", SMALL, {}, async (page) => {
  await page.locator("#game").click();
  await page.locator("#picker summary").first().click();
  const box = (/** @type {string} */ name) => page.locator(`#picker-options [value="${name}"]`);
  await box("no-capture").check();
  assert.ok(await box("empty-capture").isDisabled());
  await page.locator('#picker-games [value="s-kalaha"]').check();
  assert.ok((await box("relay").isDisabled()) && (await box("no-capture").isDisabled()));
  await box("pie").check();
  await page.waitForFunction(
    () => document.querySelector("#picker")?.getAttribute("data-game") === "s-kalaha(4,3,pie)",
  );
  await page.locator("#picker summary").last().click();
  await page.waitForFunction(() => /pie rule/.test(document.querySelector("#picker-rules")?.textContent ?? ""));
  assert.ok(await page.locator("#picker-fair").isDisabled(), "no fair start of this game is known");
  assert.doesNotMatch(
    (await page.locator("#picker-options").textContent()) ?? "",
    /[a-z]-[a-z]+-|last-seed/,
    "options have players' names",
  );
});

check("undo and redo", `${SMALL}&moves=2,3`, {}, async (page) => {
  await settled(page, 2);
  const two = await counts(page);
  await page.locator("#undo").click();
  await settled(page, 1);
  const one = await counts(page);
  assert.notEqual(one, two);
  await page.locator("#first").click();
  await settled(page, 0);
  assert.equal(await counts(page), "3,3,3,3,0|3,3,3,3,0");
  await page.locator("#forward").click();
  await settled(page, 1);
  assert.equal(await counts(page), one);
  await page.locator("#last").click();
  await settled(page, 2);
  assert.equal(await counts(page), two);
});

check("variations", `${SMALL}&moves=1,1,3`, {}, async (page) => {
  await settled(page, 3);
  const main = await counts(page);
  await page.locator("#back").click();
  await settled(page, 2);
  await house(page, "south", 4).click();
  await page.waitForFunction(() => location.hash.includes("lines=1,1,3;1,1,4"));
  const side = page.locator("#history .variation button");
  assert.equal(await side.count(), 1);
  assert.equal(await side.textContent(), "4");
  assert.equal(await side.getAttribute("aria-current"), "step");
  const there = await counts(page);
  assert.notEqual(there, main);
  await page.keyboard.press("ArrowUp");
  await shows(page, main);
  assert.match(page.url(), /moves=1,1,3(&|$)/);
  await page.keyboard.press("ArrowDown");
  await shows(page, there);
  await settled(page, 3);
  await page.locator("#promote").click();
  await page.waitForFunction(() => location.hash.includes("lines=1,1,4;1,1,3"));
  await page.locator("#remove").click();
  await settled(page, 2);
  assert.ok(!page.url().includes("lines="));
});

check("a shared link opens the same view", `${SMALL}&moves=1,2,3&at=2&lines=1,2,3;1,4&flip=true`, {}, async (page) => {
  await settled(page, 2);
  const listed = (/** @type {Page} */ page) => page.locator("#history button").allTextContents();
  const there = [await counts(page), page.url()];
  const link = await copied(page, "link");
  await visit(browser, server.address, link.slice(server.address.length), {}, async (other) => {
    await settled(other, 2);
    // The marks of captures arrive later, on both pages.
    for (let tries = 0; (await listed(other)).join() !== (await listed(page)).join(); tries++) {
      assert.ok(tries < 200, `${await listed(other)}, not ${await listed(page)}`);
      await other.waitForTimeout(100);
    }
    assert.deepEqual([await counts(other), other.url()], there);
    const [near, far] = [await house(other, "north", 1).boundingBox(), await house(other, "south", 1).boundingBox()];
    assert.ok(near && far && near.y > far.y, "North is near on a flipped board");
  });
});

check("back leaves the game, and comes back to all of it", "/solitaire.html", {}, async (page) => {
  await page.goto(`${server.address}${SMALL}&north=level:2`);
  await settled(page, 0);
  await house(page, "south", 1).click();
  await page.waitForFunction(
    () => /moves=1,/.test(location.hash) && document.querySelector(".house:not([aria-disabled])"),
  );
  const there = page.url();
  await page.goBack();
  await page.waitForURL(/solitaire/, { timeout: 5000 });
  await page.goForward();
  await page.waitForFunction(() => document.querySelectorAll("#history .turn").length > 1);
  assert.equal(page.url(), there, "nothing newer is lost by going back");
});

check("the skip link leaves the game alone", `${SMALL}&moves=2`, {}, async (page) => {
  await settled(page, 1);
  const before = page.url();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "To the board");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "board");
  assert.equal(page.url(), before);
  await page.goto(`${server.address}/solitaire.html#stones=11&plays=1`);
  await page.locator("#order .done").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.match(page.url(), /stones=11&plays=1$/);
  assert.equal(await page.locator("#order .done").count(), 1);
});

check("the editor refuses a wrong total and says why", SMALL, { refusals: true }, async (page) => {
  await settled(page, 0);
  await edit(page);
  await page.getByRole("spinbutton", { name: "South house 2" }).fill("5");
  assert.equal(await page.locator("#editor-total").textContent(), "26 of 24 seeds: 2 too many.");
  assert.ok(await page.locator("#editor-apply").isDisabled());
  await page.getByRole("spinbutton", { name: "North store" }).fill("1");
  await page.getByRole("spinbutton", { name: "South house 4" }).fill("0");
  assert.equal(await page.locator("#editor-total").textContent(), "24 seeds, as it should be.");
  await page.locator("#editor-apply").click();
  await page.waitForFunction(() => location.hash.includes("start="));
  await settled(page, 0);
  assert.equal(await position(page), "3,5,3,0,0|3,3,3,3,1");
  await edit(page);
  await page.locator("#editor-text").fill("3,5,3,0,0|3,3,nothing");
  await page.locator("#editor-apply").click();
  await page.locator("#editor-fault:not([hidden])").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await position(page), "3,5,3,0,0|3,3,3,3,1", "nothing has changed");
});

check("editing with North to move leaves the sides where they are", `${SMALL}&moves=1`, {}, async (page) => {
  await settled(page, 1);
  const before = await counts(page);
  await edit(page);
  assert.ok(await page.locator('[name="editor-first"][value="north"]').isChecked());
  assert.equal(await page.getByRole("spinbutton", { name: "South house 1" }).inputValue(), "0");
  await page.locator("#editor-apply").click();
  await page.waitForFunction(() => location.hash.includes("first=north"));
  await settled(page, 0);
  assert.equal(await counts(page), before);
  assert.match((await page.locator("#status").textContent()) ?? "", /^North to move/);
  await house(page, "north", 2).click();
  await settled(page, 1);
  assert.match((await page.locator("#status").textContent()) ?? "", /^North sowed house 2/);
});

/** @param {Page} page */
async function edit(page) {
  await page.locator("#more-button").click();
  await page.locator("#edit").click();
  await page.locator("#editor[open]").waitFor();
}

check("keyboard only", SMALL, { reducedMotion: "no-preference" }, async (page) => {
  await settled(page, 0);
  await page.keyboard.press("2");
  await settled(page, 1);
  assert.match((await page.locator("#announcer").textContent()) ?? "", /^South (sowed house 2|wins by 6 )/);
  assert.match(
    (await page.locator("#status").textContent()) ?? "",
    /^South sowed house 2(, moves again)?\. (South|North) to move\.$/,
    "what happened is told",
  );
  assert.equal(await page.locator("#board .hole.origin").count(), 1, "where it began is marked");
  await page.keyboard.press("ArrowLeft");
  await settled(page, 0);
  await page.keyboard.press("ArrowRight");
  await settled(page, 1);
  await page.keyboard.press("f");
  await page.waitForFunction(() => location.hash.includes("flip=true"));
  await page.keyboard.press("Home");
  await settled(page, 0);
  await page.keyboard.press("Space");
  await settled(page, 1);
  assert.match(page.url(), /moves=2/, "the best move of Kalah(4,3) is house 2");
  await page.keyboard.press("?");
  await page.locator("#keys[open]").waitFor();
  await page.keyboard.press("Escape");
  // Tab reaches a house, which tells where its last seed falls; Enter sows it.
  for (let tabs = 0; tabs < 30; tabs += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.matches(".house:not([aria-disabled])"))) break;
  }
  const label = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  assert.match(label, /^South house \d, \d+ seeds?, last seed in /);
  assert.equal(await page.locator("#board .hole.target").count(), 1);
  await page.keyboard.press("Enter");
  await settled(page, 2);
  // A key that cannot be played is seen, too.
  const empty = await page.evaluate(() =>
    [...document.querySelectorAll(".house[aria-disabled]")]
      .map((one) => one.getAttribute("aria-label") ?? "")
      .find((text) => / 0 seeds/.test(text)),
  );
  const [, side, number] = /^(\w+) house (\d)/.exec(empty ?? "") ?? [];
  if (side && (await page.locator("#board").getAttribute("data-mover")) === side.toLowerCase()) {
    await page.keyboard.press(number);
    await page.waitForFunction(
      (number) => document.querySelector("#status")?.textContent === `House ${number} cannot be played now.`,
      number,
    );
  }
  // The stores can be read.
  assert.match(
    (await page.locator('[data-store="south"]').getAttribute("aria-label")) ?? "",
    /^South.s store, \d+ seeds?$/,
  );
});

check(
  "on a phone everything fits and can be touched",
  SMALL,
  { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  async (page) => {
    await settled(page, 0);
    await page.waitForFunction(() => document.querySelector("#cancel[hidden]"));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.equal(await page.locator("#board .upright").count(), 1);
    assert.equal(await page.locator(".house").count(), 8);
    for (const one of await page.locator(".house").all()) {
      const box = await one.boundingBox();
      assert.ok(box && box.width >= 44 && box.height >= 44);
    }
    await house(page, "south", 4).tap();
    await settled(page, 1);
    await accessible(page, "phone");
    await page.goto(`${server.address}/#game=s-kalaha(16,3)`);
    await settled(page, 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  },
);

check("reduced motion moves nothing", SMALL, { reducedMotion: "reduce" }, async (page) => {
  await settled(page, 0);
  await page.evaluate(() => {
    const state = /** @type {any} */ (globalThis);
    state.motions = 0;
    Element.prototype.animate = () => {
      state.motions += 1;
      throw new Error("nothing should move");
    };
  });
  await house(page, "south", 2).click();
  await settled(page, 1);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).motions), 0);
  assert.equal(await page.locator("#board .hole.landed").count(), 1);
});

check(
  "a relay is animated seed by seed and ends in the right position",
  "/#game=s-kalaha(6,3)",
  { reducedMotion: "no-preference" },
  async (page) => {
    await settled(page, 0);
    await page.evaluate(() => localStorage.setItem("pace", "fast"));
    const boards = page.evaluate(
      () =>
        new Promise((done) => {
          const seen = new Set();
          const board = /** @type {Element} */ (document.querySelector("#board"));
          const look = () => seen.add([...board.querySelectorAll(".count")].map((one) => one.textContent).join());
          const watch = new MutationObserver(look);
          watch.observe(board, { childList: true, subtree: true, characterData: true });
          const end = () =>
            document.querySelector(".house:not([aria-disabled])") && location.hash.includes("moves=")
              ? done(seen.size)
              : setTimeout(end, 50);
          end();
        }),
    );
    await house(page, "south", 1).click();
    await settled(page, 1);
    const seen = /** @type {number} */ (await boards);
    assert.ok(seen > 12, `saw ${seen} boards on the way`);
    const shown = sow("show", "s-kalaha(6,3)", await position(page), "--json");
    const [mine, theirs] = (await counts(page)).split("|");
    const south = (await page.locator("#board").getAttribute("data-mover")) === "south";
    assert.equal(south ? `${mine}|${theirs}` : `${theirs}|${mine}`, shown.position);
    const drawn = await page.locator("#board .seeds circle").count();
    assert.equal(drawn, 36, "every seed is drawn once");
  },
);

check(
  "a long analysis says something true at once, can be stopped and gone on with",
  "/#game=kalah(7,7)",
  {},
  async (page) => {
    await settled(page, 0);
    await page.locator("#board .chip").first().waitFor();
    assert.equal(await page.locator("#board .chip.best").count(), 0, "nothing is called the best before it is proven");
    assert.match((await page.locator("#board .chip").first().textContent()) ?? "", /^\u2248 /);
    assert.match((await page.locator("#verdict").textContent()) ?? "", /^Not known yet\. It looks like \u2248 /);
    assert.doesNotMatch(
      (await page.locator("#worth").textContent()) ?? "",
      /.98 to .98/,
      "ranges that say nothing are not shown",
    );
    await page.locator("#cancel").click();
    await page.locator("#go-on:not([hidden])").waitFor();
    assert.match((await page.locator("#progress").textContent()) ?? "", /Stopped after/);
    await page.locator("#go-on").click();
    await page.locator("#cancel:not([hidden])").waitFor();
    // The slot is free again at once.
    await page.goto(`${server.address}/#game=kalah(2,2)`);
    await page.waitForFunction(() => /perfect play/.test(document.querySelector("#verdict")?.textContent ?? ""));
  },
);

check("the best move is a proven one", "/#game=kalah(4,3)", {}, async (page) => {
  await settled(page, 0);
  await page.keyboard.press("Space");
  await settled(page, 1);
  const [played] = (new URL(page.url()).hash.match(/moves=(\d)/) ?? []).slice(1);
  const { value, moves } = sow("solve", "kalah(4,3)", "--json");
  assert.equal(moves.find((/** @type {any} */ one) => one.move === played).value, value);
});

check(
  "a third repetition ends the game",
  "/#game=kalah(2,2,clockwise)&start=1,1,0|0,1,0&free=true&moves=1,2,2,1,1,2,2",
  {},
  async (page) => {
    await settled(page, 7);
    await house(page, "north", 1).click();
    await page.waitForFunction(() =>
      /come up for the third time/.test(document.querySelector("#status")?.textContent ?? ""),
    );
    assert.match(
      (await page.locator("#status").textContent()) ?? "",
      /A draw, \d+ to \d+\. The position has come up for the third time/,
    );
    assert.equal(await page.locator(".house:not([aria-disabled])").count(), 0);
  },
);

check("the pie rule", "/#game=kalah(3,2,pie)&moves=1", {}, async (page) => {
  await settled(page, 1);
  await page.locator("#swap").click();
  await page.waitForFunction(() => location.hash.includes("moves=1,swap"));
  await settled(page, 2);
  assert.match((await page.locator("#status").textContent()) ?? "", /North to move/);
  assert.ok(await page.locator("#swap").isHidden());
});

check("review, curve and practice", "/#game=kalah(3,2)&moves=1,1,2", {}, async (page) => {
  await settled(page, 3);
  await page.locator("#review").click();
  await page.locator("#practise:not([hidden])").waitFor();
  assert.match((await page.locator("#report").textContent()) ?? "", /South gave away \d+ points?, North \d+\./);
  assert.ok((await page.locator("#curve .worst").count()) > 0);
  const box = await page.locator("#curve svg").boundingBox();
  await page.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 30);
  await settled(page, 0);
  await page.locator("#practise").click();
  await page.waitForFunction(() => /Find a better turn/.test(document.querySelector("#coach")?.textContent ?? ""));
  const [coach, board] = [await page.locator("#coach").boundingBox(), await page.locator("#board").boundingBox()];
  assert.ok(coach && board && coach.y - (board.y + board.height) < 150, "the prompt stands at the board");
  assert.equal(await page.locator("#board .chip").count(), 0, "values would give the answer away");
  await page.getByRole("button", { name: "Show me" }).click();
  assert.match((await page.locator("#coach").textContent()) ?? "", /Best was \d/);
});

check("share", `${SMALL}&moves=2,1`, {}, async (page) => {
  await settled(page, 2);
  const shown = await position(page);
  assert.equal(await copied(page, "position"), shown);
  assert.equal(sow("show", "kalah(4,3)", await copied(page, "kgp"), "--json").position, shown);
  await page.locator("#good").click();
  await page.locator("#comment").fill("well seen");
  await page.locator("#comment").press("Enter");
  await page.waitForFunction(() => location.hash.includes("well"));
  const record = await copied(page, "record");
  assert.match(record, /1!\.?[\s\S]*\{well seen\}/);
  const moves = said("replay", "kalah(4,3)", record, "--partial", "--json");
  assert.deepEqual(moves.map(({ position }) => position).slice(1, 2), [shown]);
  assert.match(await copied(page, "svg"), /^<svg[\s\S]*<\/svg>\s*$/);
  assert.match(await copied(page, "embed"), /^<iframe src="http[^"]+embed\.html#game=[^"]+"[^>]*><\/iframe>$/);
  await page.locator("#share").click();
  await page.locator("#share-qr:not([hidden])").waitFor();
  await accessible(page, "share");
  await page.keyboard.press("Escape");
  // What was copied can be pasted.
  await page.goto(`${server.address}/#game=kalah(6,4)`);
  await settled(page, 0);
  await page.keyboard.press("i");
  await page.locator("#importer-text").fill(record);
  await page.locator("#importer-apply").click();
  await page.waitForFunction(() => location.hash.includes("game=kalah(4,3)"));
  await settled(page, 2);
  assert.equal(await position(page), shown);
  assert.match((await page.locator("#history").textContent()) ?? "", /1!.*well seen/);
});

check("a position, a literal and nonsense can be pasted", SMALL, { refusals: true }, async (page) => {
  await settled(page, 0);
  for (const [text, wanted] of [
    ["1,0,2,3|0,4,1,1", "1,0,2,3|0,4,1,1"],
    ["<2,1,0,2,0,1,0>", "2,0,1|1,0,0"],
  ]) {
    await page.keyboard.press("i");
    await page.locator("#importer-text").fill(text);
    await page.locator("#importer-apply").click();
    await page.locator("#importer").waitFor({ state: "hidden" });
    assert.equal(await position(page), wanted);
  }
  await page.keyboard.press("i");
  await page.locator("#importer-text").fill("what is this");
  await page.locator("#importer-apply").click();
  await page.locator("#importer-fault:not([hidden])").waitFor();
  assert.match((await page.locator("#importer-fault").textContent()) ?? "", /is not a house/);
});

check("a link with one bad move is shown up to it", `${SMALL}&moves=2,9,1`, { refusals: true }, async (page) => {
  await page.locator("#fault:not([hidden])").waitFor();
  assert.match((await page.locator("#fault").textContent()) ?? "", /shown up to there.*[Mm]ove 2, 9, is illegal/);
  assert.match(page.url(), /moves=2$/);
  assert.equal((await page.locator("#history .turn").count()) > 1, true);
});

check("a bad game leaves nothing that seems to work", "/#game=kalah(6,-3)", { refusals: true }, async (page) => {
  await page.locator("#fault:not([hidden])").waitFor();
  assert.match((await page.locator("#fault").textContent()) ?? "", /kalah\(6,4\)/);
  assert.doesNotMatch((await page.locator("#fault").textContent()) ?? "", /invalid digit|\?game=/);
  for (const id of ["first", "back", "undo", "play-best", "share", "review"])
    assert.ok(await page.locator(`#${id}`).isDisabled(), id);
  // A new game mends it.
  await page.locator("#new").click();
  await page.locator("#picker[open]").waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).last().click();
  await settled(page, 0);
  assert.ok(await page.locator("#fault").isHidden());
});

check("without a server that is said, and the board stays", SMALL, { refusals: true }, async (page) => {
  await settled(page, 0);
  await page.waitForFunction(() => /^(Proven|Known)/.test(document.querySelector("#progress")?.textContent ?? ""));
  const before = await counts(page);
  await page.context().setOffline(true);
  await house(page, "south", 3).click();
  await page.locator("#fault:not([hidden])").waitFor();
  assert.equal(await page.locator("#fault").textContent(), "The server cannot be reached. Is it still running?");
  assert.equal(await counts(page), before);
  await page.context().setOffline(false);
  await house(page, "south", 3).click();
  await settled(page, 1);
});

check("nothing is lost with the tab", `${SMALL}&moves=2,1`, {}, async (page) => {
  await settled(page, 2);
  await page.keyboard.press("ArrowLeft");
  await settled(page, 1);
  const there = page.url();
  await page.goto("about:blank");
  await page.goto(`${server.address}/`);
  await page.waitForFunction(() => location.hash.includes("moves=2,1"));
  assert.equal(page.url(), there);
});

check("the perfect line can be clicked", "/#game=kalah(3,2)", {}, async (page) => {
  await worths(page, "south");
  await page.locator("#line").click();
  const turns = page.locator("#perfect-line button");
  await turns.first().waitFor();
  const all = await turns.count();
  assert.ok(all > 2);
  await turns.nth(1).click();
  await page.waitForFunction(() => document.querySelectorAll("#history .turn").length >= 3);
});

check("arrows and who plays what", SMALL, {}, async (page) => {
  await worths(page, "south");
  await page.locator("#show-arrows").check();
  await page.locator("#board .arrow.best").waitFor({ state: "attached" });
  await page.locator("#board .arrow.threat").waitFor({ state: "attached" });
  await page.locator("#show-choices").check();
  await page.locator("#worths .bars").first().waitFor();
  assert.equal(await page.locator("#worths li").first().locator(".bars i").count(), 9);
  assert.match(
    (await page.locator("#worths .bars").first().getAttribute("aria-label")) ?? "",
    /^Played by level 1 \d+ %/,
  );
  await page.keyboard.press("Home");
  await house(page, "south", 1).click();
  await settled(page, 1);
});

check("a fair start is a draw", "/#game=kalah(4,3)", {}, async (page) => {
  await settled(page, 0);
  await page.locator("#new").click();
  await page.locator("#picker[open]").waitFor();
  await page.locator('[name="mode"][value="people"]').check();
  await page.locator("#picker-fair:not(:disabled)").click();
  await page.waitForFunction(() => location.hash.includes("start="));
  await settled(page, 0);
  assert.equal(sow("solve", "kalah(4,3)", await position(page), "--json").value, 0);
});

check("the classroom hides the values until they are asked for", SMALL, {}, async (page) => {
  await worths(page, "south");
  await page.keyboard.press("c");
  await page.locator("#class-tools:not([hidden])").waitFor();
  assert.equal(await page.locator("#board .chip").count(), 0);
  await page.locator("#class-code").click();
  await page.locator("#class-qr:not([hidden])").waitFor();
  await page.locator("#class-code").click();
  await page.locator("#reveal").click();
  await page.locator("#board .chip").first().waitFor();
  await accessible(page, "classroom");
  await page.locator("#class-end").click();
  await page.waitForFunction(() => !document.body.classList.contains("classroom"));
});

check(
  "two perfect players end a game that goes round",
  "/#game=kalah(2,2,clockwise)&south=perfect&north=perfect",
  {},
  async (page) => {
    await page.waitForFunction(() => document.querySelector('#board[data-mover="nobody"]'), undefined, {
      timeout: 50_000,
    });
    assert.ok(page.url().length < 2000);
  },
);

check("sounds are off unless asked for", SMALL, { reducedMotion: "no-preference" }, async (page) => {
  await page.evaluate(() => {
    const state = /** @type {any} */ (globalThis);
    state.tones = 0;
    const make = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function () {
      state.tones += 1;
      return make.call(this);
    };
    localStorage.setItem("pace", "fast");
  });
  const tones = () => page.evaluate(() => /** @type {any} */ (globalThis).tones);
  await settled(page, 0);
  await house(page, "south", 2).click();
  await settled(page, 1);
  assert.equal(await tones(), 0);
  await page.locator("#more-button").click();
  await page.locator("#sounds").check();
  await page.keyboard.press("Escape");
  await page.locator(".house:not([aria-disabled])").first().click();
  await settled(page, 2);
  assert.ok((await tones()) > 0);
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  check(
    `no serious accessibility fault, ${colorScheme}`,
    `${SMALL}&moves=1,2,3&lines=1,2,3;1,4`,
    { colorScheme },
    async (page) => {
      await worths(page, "north");
      await accessible(page, "board");
      for (const [button, dialog] of [
        ["n", "#picker"],
        ["e", "#editor"],
        ["i", "#importer"],
        ["?", "#keys"],
      ]) {
        await page.keyboard.press(button);
        await page.locator(`${dialog}[open]`).waitFor();
        await accessible(page, dialog);
        await page.keyboard.press("Escape");
        await page.locator(dialog).waitFor({ state: "hidden" });
      }
      await page.goto(`${server.address}/solitaire.html`);
      await page.locator("#product td").first().waitFor();
      await accessible(page, "solitaire");
    },
  );
}

test("the first view takes less than 150 KB without the font", { timeout: 60_000 }, async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  let bytes = 0;
  /** @type {Promise<void>[]} */
  const bodies = [];
  page.on("response", (response) => {
    if (!/api\/|woff2/.test(response.url()))
      bodies.push(
        response.body().then((body) => {
          bytes += body.length;
        }),
      );
  });
  await page.goto(`${server.address}/`);
  await page.locator("#board .seeds circle").first().waitFor();
  await page.locator("#board .chip").first().waitFor();
  await Promise.all(bodies);
  await context.close();
  console.log(`first view: ${bytes} bytes`);
  assert.ok(bytes > 10_000 && bytes < 150_000, `${bytes} bytes`);
});

check("the solitaire is won in the forced order", "/solitaire.html#stones=11", {}, async (page) => {
  await page.locator("#order .now").waitFor();
  const order = await page.locator("#order li").allTextContents();
  assert.equal(order.length, 11);
  for (const [played, bin] of order.entries()) {
    await page.waitForFunction((played) => document.querySelectorAll("#order .done").length === played, played);
    assert.equal(await page.locator("#order .now").textContent(), bin);
    if (played === 0) assert.ok((await page.locator("#product .peak").count()) === 3);
    await page.locator(`[data-bin="${bin}"]`).click();
  }
  await page.waitForFunction(() =>
    /^Won: all 11 stones are home after 11 plays/.test(document.querySelector("#status")?.textContent ?? ""),
  );
  await page.locator("#undo").click();
  await page.waitForFunction(() => document.querySelectorAll("#order .done").length === 10);
});
