// Puts the analysis board together: the store, its workers, the panels, the keys.

/** @import { Action, GameStore } from "./types.js" */

import { keepAddress } from "./address.js";
import { explained } from "./backend.js";
import { find } from "./dom.js";
import { Evaluation } from "./evaluation.js";
import { listen } from "./keyboard.js";
import { once, whenNeeded } from "./lazy.js";
import { BoardPanel } from "./panels/board.js";
import { HeaderPanel } from "./panels/header.js";
import { MenuPanel } from "./panels/menu.js";
import { NotesPanel } from "./panels/notes.js";
import { PagePanel } from "./panels/page.js";
import { SeatPanel } from "./panels/seat.js";
import { AnnouncerPanel, BoardTextPanel, FaultPanel, StatusPanel } from "./panels/texts.js";
import { ToolbarPanel } from "./panels/toolbar.js";
import { TurnsPanel } from "./panels/turns.js";
import { WorthPanel } from "./panels/worth.js";
import { Session } from "./session.js";
import { keep, preferences } from "./settings.js";
import { initial, reduce } from "./state.js";
import { Store } from "./store.js";

/** @type {GameStore} */
const store = new Store(reduce, initial(preferences()));
const { signal } = new AbortController();

keepAddress(store, signal);
store.subscribe((_, action) => {
  if (action.type === "prefer") keep(action.name, action.on ? "on" : "off");
}, signal);
new Session(store);
new Evaluation(store);

new PagePanel(document.body, store);
new HeaderPanel(find(document, ".bar"), store);
new FaultPanel(find(document, "#fault"), store);
new SeatPanel(find(document, "#seat-far"), store);
new BoardPanel(find(document, "#board"), store);
new SeatPanel(find(document, "#seat-near"), store);
new StatusPanel(find(document, "#status"), store);
new ToolbarPanel(find(document, ".toolbar"), store);
new MenuPanel(find(document, "#more"), store);
new BoardTextPanel(find(document, "#board-text"), store);
new WorthPanel(find(document, '[aria-labelledby="worth-title"]'), store);
new TurnsPanel(find(document, '[aria-labelledby="history-title"]'), store);
new NotesPanel(find(document, ".notes"), store);
new AnnouncerPanel(find(document, "#announcer"), store);

// Parts that the first view does not need are loaded later.
const parts = once(async () => {
  const { Parts } = await import("./parts.js");
  return new Parts(document, store);
});
store.subscribe(async (_, action) => {
  if (action.type === "show") await (await parts()).show(action.part);
}, signal);
whenNeeded(
  store,
  ({ shown }) => shown !== null && shown.line.length > 1,
  async () => {
    const { CurvePanel } = await import("./panels/curve.js");
    new CurvePanel(find(document, "#curve"), store);
  },
);
whenNeeded(
  store,
  ({ preferences }) => preferences.arrows || preferences.choices,
  async () => {
    const { Hints } = await import("./hints.js");
    new Hints(store);
  },
);

const node = () => store.state.node;
const prefer = (/** @type {"values" | "arrows"} */ name) => ({
  type: /** @type {const} */ ("prefer"),
  name,
  on: !store.state.preferences[name],
});
/** @type {Record<string, () => Action>} */
const keys = {
  ArrowLeft: () => ({ type: "go", node: node().parent }),
  ArrowRight: () => ({ type: "go", node: node().children[0], animate: true }),
  ArrowUp: () => ({ type: "go", node: node().sibling(-1) }),
  ArrowDown: () => ({ type: "go", node: node().sibling(1) }),
  Home: () => ({ type: "go", node: node().line[0] }),
  End: () => ({ type: "go", node: node().children.length > 0 ? node().line.at(-1) : null }),
  " ": () => ({ type: "best" }),
  u: () => ({ type: "undo" }),
  x: () => ({ type: "play", move: "swap" }),
  v: () => prefer("values"),
  a: () => prefer("arrows"),
  f: () => ({ type: "flip" }),
  n: () => ({ type: "show", part: "picker" }),
  e: () => ({ type: "show", part: "editor" }),
  i: () => ({ type: "show", part: "importer" }),
  c: () => ({ type: "show", part: "classroom" }),
  "?": () => ({ type: "show", part: "help" }),
};
listen(
  Object.fromEntries(Object.entries(keys).map(([key, action]) => [key, () => store.dispatch(action())])),
  (house) => store.dispatch({ type: "play", move: String(house) }),
  () => store.state.view?.board.south.houses.length ?? 0,
);

// Unexpected errors are shown on the page, too.
window.addEventListener("unhandledrejection", ({ reason }) =>
  store.dispatch({ type: "failed", fault: explained(reason) }),
);
const open = () => store.dispatch({ type: "open", fragment: location.hash });
window.addEventListener("popstate", open);
open();
