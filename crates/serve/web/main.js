// Puts the analysis board together: buttons, keys, dialogs, the address.

import { drawing, games, position } from "./api.js";
import { App } from "./app.js";
import { copy } from "./copy.js";
import { find } from "./dom.js";
import { parse } from "./game.js";
import { listen } from "./keyboard.js";
import { keepPace, pace } from "./settings.js";
import { HUMAN } from "./url.js";

const app = new App();

/** Makes something when it is first asked for. @template T @param {() => Promise<T>} make */
function once(make) {
  /** @type {Promise<T> | null} */
  let made = null;
  return () =>
    (made ??= make().catch((fault) => {
      made = null;
      throw fault;
    }));
}

// What is not needed for the first look is loaded when it is asked for.
const editor = once(async () => {
  const { Editor } = await import("./editor.js");
  return new Editor(async ({ start, free }) => {
    // Whatever is wrong is said in the dialog; nothing changes then.
    await position({ game: app.state.game, start, free, moves: [] });
    await app.start({ start, free });
  });
});

const picker = once(async () => {
  const [{ Picker }, known] = await Promise.all([import("./picker.js"), games()]);
  return new Picker(known, ({ game, south, north }) => {
    // Against a machine one would rather think first; the values are one click away.
    app.setValues(south === HUMAN && north === HUMAN);
    app.start({ game, south, north, flip: south !== HUMAN && north === HUMAN });
  });
});

async function edit() {
  const { view } = app;
  if (!view) return;
  const parts = parse(view.game);
  const houses = view.board.south.houses.length;
  (await editor()).open(view.position, houses, 2 * houses * (parts?.seeds ?? 0), app.state.free);
}

async function pick() {
  (await picker()).open(app.state);
}

async function review() {
  const { Reviewing } = await import("./reviewing.js");
  app.reviewing?.end();
  app.reviewing = new Reviewing(app);
  await app.reviewing.start();
}

const help = () => find("keys", HTMLDialogElement).showModal();

const acts = {
  first: () => app.jump(0),
  back: () => app.step(-1),
  forward: () => app.step(1),
  last: () => app.step(Infinity),
  undo: () => app.undo(),
  "play-best": () => app.playBest(),
  swap: () => app.play("x"),
  flip: () => app.flip(),
  cancel: () => app.cancel(),
  promote: () => {
    app.state.node.promote();
    app.keep();
    app.draw();
  },
  remove: () => app.go(app.state.node.remove()),
  review,
  practise: () => app.reviewing?.practise(),
  game: pick,
  help,
  edit,
};
for (const [id, act] of Object.entries(acts)) find(id, HTMLElement).addEventListener("click", act);
// Whatever goes wrong is said on the page, too.
window.addEventListener("unhandledrejection", ({ reason }) => app.fail(reason));

const values = find("show-values", HTMLInputElement);
values.checked = app.showValues;
values.addEventListener("input", () => app.setValues(values.checked));

const speed = find("pace", HTMLSelectElement);
speed.value = pace();
speed.addEventListener("input", () => keepPace(speed.value));

listen(
  {
    ArrowLeft: acts.back,
    ArrowRight: acts.forward,
    ArrowUp: () => app.go(app.state.node.sibling(-1)),
    ArrowDown: () => app.go(app.state.node.sibling(1)),
    Home: acts.first,
    End: acts.last,
    " ": acts["play-best"],
    u: acts.undo,
    x: acts.swap,
    v: () => app.setValues(!app.showValues),
    f: acts.flip,
    n: pick,
    e: edit,
    "?": help,
  },
  (house) => app.play(String(house)),
  () => app.view?.board.south.houses.length ?? 0,
);

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const what = button.getAttribute("data-copy") ?? "";
    const { view } = app;
    if (!view) return;
    const texts = { position: view.position, record: view.record, kgp: view.kgp, link: location.href };
    try {
      await copy(what === "svg" ? await drawing(app.query(), app.state.flip) : texts[/** @type {keyof texts} */ (what)]);
      app.remark(`Copied: ${what === "kgp" || what === "svg" ? what.toUpperCase() : what}.`);
    } catch (fault) {
      app.fail(fault);
    }
  });
}

window.addEventListener("popstate", () => app.open(location.hash));
app.open(location.hash);
