// What is drawn of the analysis board beside the board itself.

import { solve } from "./analysis.js";
import { showCurve } from "./curve.js";
import { find } from "./dom.js";
import { showHistory } from "./history.js";
import { effect } from "./pits.js";
import { rootOf } from "./tree.js";
import { HUMAN } from "./url.js";
import * as words from "./words.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./backend.js").Side} Side */
/** @typedef {import("./backend.js").View} View */
/** @typedef {import("./pits.js").Pit} Pit */

/** Everything that depends on the position alone. @param {App} app @param {View} view */
export function draw(app, view) {
  const { state } = app;
  find("game", HTMLElement).textContent = words.game(view.game);
  document.title = `${words.game(view.game)} \u2013 Sowing`;
  document.body.classList.remove("closed");
  document.body.classList.toggle("many", view.board.south.houses.length > 8);
  const text = words.board(view).map((line) => Object.assign(document.createElement("p"), { textContent: line }));
  find("board-text", HTMLElement).replaceChildren(...text);
  const [near, far] = /** @type {Side[]} */ (state.flip ? ["north", "south"] : ["south", "north"]);
  drawSeat(app, find("seat-near", HTMLElement), near, view);
  drawSeat(app, find("seat-far", HTMLElement), far, view);
  find("swap", HTMLElement).hidden = !view.legal.some(({ move }) => move === "swap");
  find("play-best", HTMLButtonElement).disabled = !view.to_move || app.practising;
  const over = !view.to_move && !app.practising;
  find("rematch", HTMLElement).hidden = !over;
  find("new", HTMLElement).classList.toggle("main", !over);
  const at = state.node.moves.length;
  for (const id of ["first", "back", "undo"]) find(id, HTMLButtonElement).disabled = at === 0;
  for (const id of ["forward", "last"]) find(id, HTMLButtonElement).disabled = state.node.children.length === 0;
  for (const id of ["share", "edit", "flip", "classroom"]) find(id, HTMLButtonElement).disabled = false;
}

/** Nothing can be shown: what would do nothing is closed. */
export function close() {
  document.body.classList.add("closed");
  for (const id of ["first", "back", "undo", "forward", "last", "play-best", "share", "edit", "flip", "review", "classroom"]) {
    find(id, HTMLButtonElement).disabled = true;
  }
}

/** @param {App} app @param {HTMLElement} host @param {Side} row @param {View} view */
function drawSeat(app, host, row, view) {
  const alone = app.state.south === HUMAN && app.state.north === HUMAN;
  const who = alone ? "" : ` \u2013 ${words.player(app.playerOf(row, view.swapped))}`;
  const [name, seeds] = [find(`${host.id}-name`, HTMLElement), find(`${host.id}-seeds`, HTMLElement)];
  name.textContent = `${words.title(row)}${who}`;
  seeds.textContent = String(view.result ? view.result.seeds[row] : view.board[row].store);
  host.className = `seat ${row}${view.to_move === row ? " on" : ""}`;
}

/** @param {App} app */
export function drawMoves(app) {
  const { node } = app.state;
  showHistory(find("history", HTMLElement), rootOf(node), node, {
    played: (one) => app.played.get(one.moves.join()),
    lost: (one) => app.reviewing?.lost(one) ?? 0,
    value: (one) => (app.showValues ? (app.values.get(one.moves.join()) ?? null) : null),
    go: (one) => app.go(one),
  });
  const main = rootOf(node).line;
  find("promote", HTMLElement).hidden = main.includes(node);
  find("remove", HTMLElement).hidden = !node.parent;
  find("review", HTMLButtonElement).disabled = node.line.length < 2;
  find("practise", HTMLElement).hidden = !app.reviewing?.ready;
  find("comment", HTMLInputElement).value = node.comment;
  find("good", HTMLElement).setAttribute("aria-pressed", String(node.mark === "!"));
  find("bad", HTMLElement).setAttribute("aria-pressed", String(node.mark === "?"));
  for (const id of ["good", "bad"]) find(id, HTMLButtonElement).disabled = !node.parent;
  const points = node.line.map((one) => ({
    value: app.values.get(one.moves.join()) ?? null,
    worst: app.reviewing?.worst(one) ?? false,
  }));
  showCurve(find("curve", HTMLElement), points, node.moves.length, (ply) => app.jump(ply));
}

/** The pits that a turn goes through. @param {App} app @param {import("./backend.js").Query} query @param {string[]} turn @returns {Promise<Pit[]>} */
async function path(app, query, turn) {
  /** @type {Pit[]} */
  const pits = [];
  for (let moves = 1; moves <= turn.length; moves += 1) {
    const { motions } = await app.asked({ ...query, moves: [...query.moves, ...turn.slice(0, moves)] });
    pits.push(...(motions ?? []).map((motion) => effect(motion).pit));
  }
  return pits;
}

/** An arrow for the best turn, once it is known, seed by seed along its chain. @param {App} app */
export async function showArrows(app) {
  const { visit, known } = app;
  if (!app.showArrows || known.value === null || !known.best?.length) return;
  const best = await path(app, app.query(), known.best.slice(0, 6));
  if (visit !== app.visit || !app.showArrows) return;
  const others = app.board.config.arrows.filter(({ kind }) => kind !== "best");
  app.board.set({ arrows: [...others, { kind: "best", path: best }] });
}

/** An arrow for what the other side would do if it were to move. @param {App} app */
export async function askThreat(app) {
  const { visit, view } = app;
  if (!view?.to_move) return;
  const [own, other] = view.position.split("|");
  /** @type {import("./backend.js").Query} */
  const query = { game: view.game.replace(",pie", ""), start: `${other}|${own}`, free: true, first: words.other(view.to_move), moves: [] };
  const known = await solve(query, ({ value }) => value !== null, 8_000).catch(() => null);
  if (visit !== app.visit || !known?.best?.length || !app.showArrows) return;
  const threat = await path(app, query, known.best.slice(0, 6)).catch(() => []);
  if (visit !== app.visit || threat.length === 0 || !app.showArrows) return;
  const others = app.board.config.arrows.filter(({ kind }) => kind !== "threat");
  app.board.set({ arrows: [{ kind: "threat", path: threat }, ...others] });
}
