// The analysis board in Chromium, against a server of its own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { accessible, counts, house, launch, position, settled, shows, visit } from "./browser.js";
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
  await page.waitForFunction(() => /nodes, [\d.]+ s$/.test(document.querySelector("#progress")?.textContent ?? "") && document.querySelector("#cancel[hidden]"));
  return page.evaluate((side) => {
    /** @type {Record<string, string>} */
    const found = {};
    const box = (/** @type {Element} */ element) => element.getBoundingClientRect();
    for (const chip of document.querySelectorAll("#board .chip")) {
      const middle = box(chip).x + box(chip).width / 2;
      const button = [...document.querySelectorAll(`[data-pit^="${side}"]`)].find(
        (one) => box(one).left < middle && middle < box(one).right,
      );
      found[button?.getAttribute("data-pit") ?? "nowhere"] = chip.textContent ?? "";
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
    const wanted = Object.fromEntries(moves.map((/** @type {any} */ one) => [`${side} ${one.move}`, signed(one.value)]));
    assert.deepEqual(await worths(page, side), wanted);
    const best = moves.filter((/** @type {any} */ one) => one.value === value).length;
    assert.equal(await page.locator("#board .chip.best").count(), best);
    const listed = await page.locator("#worths button").evaluateAll((all) => all.map((one) => one.getAttribute("data-move")));
    assert.equal(listed.length, moves.length);
    assert.equal(moves.find((/** @type {any} */ one) => one.move === listed[0]).value, value);
    assert.match((await page.locator("#verdict").textContent()) ?? "", /(South|North) wins by \d+ with perfect play\.|draw/i);
    assert.match((await page.locator("#best-turn").textContent()) ?? "", /^Best turn: \d( then \d)*: (wins by \d+|draws|loses by \d+)$/);
  });
}

check("a whole game against the machine", SMALL, {}, async (page) => {
  await page.locator("#game").click();
  await page.locator("#picker-houses").fill("3");
  await page.locator("#picker-seeds").fill("2");
  await page.locator("#picker-north").selectOption("level:1");
  await page.getByRole("button", { name: "Start", exact: true }).last().click();
  await page.waitForFunction(() => location.hash.includes("north=level:1"));
  for (let moves = 0; moves < 200; moves += 1) {
    await page.waitForFunction(
      () => document.querySelector(".house:not([aria-disabled])") || /^(\w+ wins by|The game is a draw)/.test(document.querySelector("#status")?.textContent ?? ""),
    );
    const open = page.locator(".house:not([aria-disabled])");
    if ((await open.count()) === 0) break;
    assert.match((await open.first().getAttribute("data-pit")) ?? "", /^south/, "the machine's houses are not the visitor's");
    const before = page.url();
    await open.first().click();
    await page.waitForFunction((before) => location.href !== before, before);
  }
  const said = await page.locator("#status").textContent();
  await page.locator('[data-copy="record"]').click();
  const record = await page.evaluate(() => navigator.clipboard.readText());
  const replayed = sow("replay", "kalah(3,2)", record, "--json");
  assert.equal(replayed.finished, true);
  assert.equal(said, replayed.result === "draw" ? "The game is a draw." : `${replayed.result}.`);
});

check("the picker closes what cannot go together", SMALL, {}, async (page) => {
  await page.locator("#game").click();
  await page.locator("#picker summary").click();
  const box = (/** @type {string} */ name) => page.locator(`#picker-options [value="${name}"]`);
  await box("no-capture").check();
  assert.ok(await box("empty-capture").isDisabled());
  await page.locator('#picker-games [value="s-kalaha"]').check();
  assert.ok((await box("relay").isDisabled()) && (await box("no-capture").isDisabled()));
  await box("pie").check();
  assert.equal(await page.locator("#picker-name").textContent(), "s-kalaha(4,3,pie)");
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
  const there = [await counts(page), await page.locator("#history").textContent(), page.url()];
  await page.locator('[data-copy="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await visit(browser, server.address, link.slice(server.address.length), {}, async (other) => {
    await settled(other, 2);
    await other.waitForFunction((text) => document.querySelector("#history")?.textContent === text, there[1]);
    assert.deepEqual([await counts(other), await other.locator("#history").textContent(), other.url()], there);
    const [near, far] = [await house(other, "north", 1).boundingBox(), await house(other, "south", 1).boundingBox()];
    assert.ok(near && far && near.y > far.y, "North is near on a flipped board");
  });
});

check("the browser's back and forward", SMALL, {}, async (page) => {
  await settled(page, 0);
  await house(page, "south", 1).click();
  await settled(page, 1);
  const one = await counts(page);
  await house(page, "north", 1).click();
  await settled(page, 2);
  const two = await counts(page);
  await page.goBack();
  await settled(page, 1);
  assert.equal(await counts(page), one);
  await page.goForward();
  await settled(page, 2);
  assert.equal(await counts(page), two);
});

check("the editor refuses a wrong total and says why", SMALL, { refusals: true }, async (page) => {
  await settled(page, 0);
  await page.locator("#edit").click();
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
  await page.locator("#edit").click();
  await page.locator("#editor-text").fill("3,5,3,0,0|3,3,nothing");
  await page.locator("#editor-apply").click();
  await page.locator("#editor-fault:not([hidden])").waitFor();
  assert.equal(await position(page), "3,5,3,0,0|3,3,3,3,1", "nothing has changed");
});

check("keyboard only", SMALL, { reducedMotion: "no-preference" }, async (page) => {
  await settled(page, 0);
  await page.keyboard.press("2");
  await settled(page, 1);
  assert.match((await page.locator("#announcer").textContent()) ?? "", /^South (sows house 2|wins by 6 )/);
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
});

check("on a phone everything fits and can be touched", SMALL, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (page) => {
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
});

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

check("a relay is animated seed by seed and ends in the right position", "/#game=s-kalaha(6,3)", { reducedMotion: "no-preference" }, async (page) => {
  await settled(page, 0);
  await page.locator("#pace").selectOption("fast");
  const boards = page.evaluate(
    () =>
      new Promise((done) => {
        const seen = new Set();
        const board = /** @type {Element} */ (document.querySelector("#board"));
        const look = () => seen.add([...board.querySelectorAll(".count")].map((one) => one.textContent).join());
        const watch = new MutationObserver(look);
        watch.observe(board, { childList: true, subtree: true, characterData: true });
        const end = () => (document.querySelector(".house:not([aria-disabled])") && location.hash.includes("moves=") ? done(seen.size) : setTimeout(end, 50));
        end();
      }),
  );
  await house(page, "south", 1).click();
  await settled(page, 1);
  const seen = /** @type {number} */ (await boards);
  assert.ok(seen > 12, `saw ${seen} boards on the way`);
  const shown = sow("show", "s-kalaha(6,3)", await position(page), "--json");
  const [mine, theirs] = (await counts(page)).split("|");
  const south = (await page.locator("#status").textContent())?.startsWith("South");
  assert.equal(south ? `${mine}|${theirs}` : `${theirs}|${mine}`, shown.position);
  const drawn = await page.locator("#board .seeds circle").count();
  assert.equal(drawn, 36, "every seed is drawn once");
});

// The bounds of this game are close at once, on a busy machine too, and its value takes long.
check("a long analysis shows its work and can be cancelled", "/#game=s-kalaha(6,6)", {}, async (page) => {
  await settled(page, 0);
  await page.locator("#cancel:not([hidden])").waitFor();
  const works = () => /between (?!.72 and .72).* [1-9][\d.]*( [kMG])? nodes, [\d.]+ s$/.test(document.querySelector("#progress")?.textContent ?? "");
  await page.waitForFunction(works, undefined, { timeout: 30_000 });
  await page.locator("#cancel").click();
  await page.waitForFunction(() => /^cancelled/.test(document.querySelector("#progress")?.textContent ?? ""));
  assert.ok(await page.locator("#cancel").isHidden());
  // The slot is free again at once.
  await page.goto(`${server.address}/#game=kalah(2,2)`);
  await page.waitForFunction(() => /perfect play/.test(document.querySelector("#verdict")?.textContent ?? ""));
});

check("every move has an estimate at once, and nothing is called the best before it is proven", "/#game=kalah(6,4)", {}, async (page) => {
  await settled(page, 0);
  await page.locator("#board .chip").first().waitFor();
  assert.deepEqual((await page.locator("#board .chip").allTextContents()).map((text) => text.slice(0, 2)), Array(6).fill("\u2248 "));
  assert.equal(await page.locator("#board .chip.best").count(), 0);
  assert.equal(await page.locator("#best-turn").textContent(), "");
  assert.match((await page.locator("#verdict").textContent()) ?? "", /^Not known yet; an estimate is \u2248 /);
});

check("the best move is a proven one", "/#game=kalah(5,3)", {}, async (page) => {
  await settled(page, 0);
  await page.keyboard.press("Space");
  await settled(page, 1);
  const [played] = (new URL(page.url()).hash.match(/moves=(\d)/) ?? []).slice(1);
  const { value, moves } = sow("solve", "kalah(5,3)", "--json");
  assert.equal(moves.find((/** @type {any} */ one) => one.move === played).value, value);
});

check("a third repetition ends the game", "/#game=kalah(2,2,clockwise)&start=1,1,0|0,1,0&free=true&moves=1,2,2,1,1,2,2", {}, async (page) => {
  await settled(page, 7);
  await house(page, "north", 1).click();
  await page.waitForFunction(() => /come up for the third time/.test(document.querySelector("#status")?.textContent ?? ""));
  assert.equal(await page.locator("#status").textContent(), "The game is a draw. The position has come up for the third time.");
  assert.equal(await page.locator(".house:not([aria-disabled])").count(), 0);
});

check("the pie rule", "/#game=kalah(3,2,pie)&moves=1", {}, async (page) => {
  await settled(page, 1);
  await page.locator("#swap").click();
  await page.waitForFunction(() => location.hash.includes("moves=1,x"));
  await settled(page, 2);
  assert.match((await page.locator("#status").textContent()) ?? "", /^North to move/);
  assert.ok(await page.locator("#swap").isHidden());
});

check("review, curve and practice", "/#game=kalah(3,2)&moves=1,1,2", {}, async (page) => {
  await settled(page, 3);
  await page.locator("#review").click();
  await page.locator("#practise:not([hidden])").waitFor();
  assert.match((await page.locator("#report").textContent()) ?? "", /South lost \d+ points?, North \d+\./);
  assert.ok((await page.locator("#curve .worst").count()) > 0);
  const box = await page.locator("#curve svg").boundingBox();
  await page.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 30);
  await settled(page, 0);
  await page.locator("#practise").click();
  await page.waitForFunction(() => /Find a better turn/.test(document.querySelector("#report")?.textContent ?? ""));
  assert.equal(await page.locator("#board .chip").count(), 0, "values would give the answer away");
  await page.getByRole("button", { name: "Show me" }).click();
  assert.match((await page.locator("#report").textContent()) ?? "", /Best was \d/);
});

check("copies", `${SMALL}&moves=2`, {}, async (page) => {
  await settled(page, 1);
  const copied = async (/** @type {string} */ what) => {
    await page.evaluate(() => navigator.clipboard.writeText("nothing"));
    await page.evaluate(() => document.querySelector("#status")?.replaceChildren());
    await page.locator(`[data-copy="${what}"]`).click();
    await page.waitForFunction(() => /^Copied/.test(document.querySelector("#status")?.textContent ?? ""));
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const shown = await position(page);
  assert.equal(await copied("position"), shown);
  assert.equal(sow("show", "kalah(4,3)", await copied("kgp"), "--json").position, shown);
  const moves = said("replay", "kalah(4,3)", await copied("record"), "--partial", "--json");
  assert.deepEqual(moves.map(({ position }) => position), [shown, undefined], "one move and a summary");
  assert.match(await copied("svg"), /^<svg[^]*<\/svg>\s*$/);
});

check("a bad address is answered with a sentence", "/#game=kalah(6,4)&moves=9", { refusals: true }, async (page) => {
  await page.locator("#fault:not([hidden])").waitFor();
  assert.match((await page.locator("#fault").textContent()) ?? "", /move 1, 9, is illegal: /);
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  check(`no serious accessibility fault, ${colorScheme}`, `${SMALL}&moves=1,2,3&lines=1,2,3;1,4`, { colorScheme }, async (page) => {
    await worths(page, "north");
    await accessible(page, "board");
    for (const [button, dialog] of [["#game", "#picker"], ["#edit", "#editor"], ["#help", "#keys"]]) {
      await page.locator(button).click();
      await page.locator(`${dialog}[open]`).waitFor();
      await accessible(page, dialog);
      await page.keyboard.press("Escape");
    }
    await page.goto(`${server.address}/solitaire.html`);
    await page.locator("#product td").first().waitFor();
    await accessible(page, "solitaire");
  });
}

test("the first paint takes less than 100 KB", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  let bytes = 0;
  /** @type {Promise<void>[]} */
  const bodies = [];
  page.on("response", (response) => {
    if (!response.url().includes("/api/")) bodies.push(response.body().then((body) => void (bytes += body.length)));
  });
  await page.goto(`${server.address}/`);
  await page.locator("#board .seeds circle").first().waitFor();
  await Promise.all(bodies);
  await context.close();
  assert.ok(bytes > 10_000 && bytes < 100_000, `${bytes} bytes`);
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
  await page.waitForFunction(() => /^Won: all 11 stones are home after 11 plays/.test(document.querySelector("#status")?.textContent ?? ""));
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll("#order .done").length === 10);
});
