// Puts the analysis board together: buttons, keys, dialogs, the address.

import { fair, games, imported, position, rules } from "./backend.js";
import { App } from "./app.js";
import { find, make } from "./dom.js";
import { parse } from "./game.js";
import { listen } from "./keyboard.js";
import { keep, pace } from "./settings.js";
import { keepSounds, sounds } from "./sound.js";
import { plant } from "./tree.js";
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
  return new Editor(async ({ start, free, first }) => {
    const { game } = app.state;
    // Whatever is wrong is said in the dialog; nothing changes then.
    await position({ game, start, free, first, moves: [] });
    await app.start({ start, free, first });
  });
});
const picker = once(async () => {
  const { Picker } = await import("./picker.js");
  return new Picker(await games(), { rules, fair }, ({ game, start, south, north }) => {
    // Whoever plays would rather think first; the values are one click away.
    app.setValues(south === HUMAN && north === HUMAN);
    app.start({ game, start, south, north, flip: south !== HUMAN && north === HUMAN });
  });
});
const importer = once(async () => {
  const { Importer } = await import("./importer.js");
  return new Importer(async (text) => {
    if (text.includes("#game=")) return app.open(text.slice(text.indexOf("#game=")).trim());
    const { notes, moves, ...found } = await imported(text, app.state.game);
    const root = plant([moves]);
    for (const { ply, mark, comment } of notes) Object.assign(root.follow(moves.slice(0, ply)), { mark, comment });
    await app.start({ ...found, south: HUMAN, north: HUMAN, node: root.follow(moves) });
  });
});
const sharer = once(async () => {
  const { Sharer } = await import("./share.js");
  return new Sharer(app);
});
const classroom = once(async () => {
  const { Classroom } = await import("./classroom.js");
  return new Classroom(app);
});

async function edit() {
  const { view } = app;
  if (!view) return;
  const parts = parse(view.game);
  const houses = view.board.south.houses.length;
  (await editor()).open(view.board, view.to_move ?? "south", 2 * houses * (parts?.seeds ?? 0), app.state.free);
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

async function help() {
  find("keys", HTMLDialogElement).showModal();
  const told = await rules(app.state.game);
  find("help-rules", HTMLElement).replaceChildren(...told.map((rule) => make("li", {}, rule)));
}

/** @param {string} mark */
function note(mark) {
  const { node } = app.state;
  node.mark = node.mark === mark ? "" : mark;
  app.keep();
  app.drawMoves();
}

const acts = {
  first: () => app.jump(0),
  back: () => app.step(-1),
  forward: () => app.step(1),
  last: () => app.step(Infinity),
  undo: () => app.undo(),
  "play-best": () => app.playBest(),
  swap: () => app.play("swap"),
  flip: () => app.flip(),
  cancel: () => app.cancel(),
  "go-on": () => app.analyse(),
  line: () => app.analyse(true),
  promote: () => {
    app.state.node.promote();
    app.keep();
    app.draw();
  },
  remove: () => app.go(app.state.node.remove()),
  good: () => note("!"),
  bad: () => note("?"),
  review,
  practise: () => app.reviewing?.practise(),
  rematch: () => app.rematch(),
  game: pick,
  new: pick,
  help,
  edit,
  import: async () => (await importer()).open(),
  share: async () => (await sharer()).open(),
  classroom: async () => (await classroom()).enter(),
  // Not a link: the address is the game.
  skip: () => find("board", HTMLElement).focus(),
};
for (const [id, act] of Object.entries(acts)) find(id, HTMLElement).addEventListener("click", act);
find("brand", HTMLAnchorElement).addEventListener("click", (event) => {
  event.preventDefault();
  pick();
});
for (const one of document.querySelectorAll("#more button")) {
  one.addEventListener("click", () => find("more", HTMLElement).hidePopover());
}
// Whatever goes wrong is said on the page, too.
window.addEventListener("unhandledrejection", ({ reason }) => app.fail(reason));

const values = find("show-values", HTMLInputElement);
values.checked = app.showValues;
document.body.classList.toggle("without-values", !app.showValues);
values.addEventListener("input", () => app.setValues(values.checked));
for (const what of /** @type {const} */ (["arrows", "choices"])) {
  const box = find(`show-${what}`, HTMLInputElement);
  box.checked = what === "arrows" ? app.showArrows : app.showChoices;
  box.addEventListener("input", () => app.setExtra(what, box.checked));
}

const speed = find("pace", HTMLSelectElement);
speed.value = pace();
speed.addEventListener("input", () => keep("pace", speed.value));
const sound = find("sounds", HTMLInputElement);
sound.checked = sounds();
sound.addEventListener("input", () => keepSounds(sound.checked));
const comment = find("comment", HTMLInputElement);
comment.addEventListener("change", () => {
  app.state.node.comment = comment.value.trim().replace(/[{}]/g, "");
  app.keep();
  app.drawMoves();
});

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
    a: () => find("show-arrows", HTMLInputElement).click(),
    f: acts.flip,
    n: pick,
    e: edit,
    i: acts.import,
    c: acts.classroom,
    "?": help,
  },
  (house) => app.play(String(house)),
  () => app.view?.board.south.houses.length ?? 0,
);

window.addEventListener("popstate", () => app.open(location.hash));
app.open(location.hash);
