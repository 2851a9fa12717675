// The analysis board: what is shown, and what happens when a move is played.

import { Analyst, solve, unknown } from "./analysis.js";
import { announce } from "./announce.js";
import * as api from "./api.js";
import { Board } from "./board.js";
import { showCurve } from "./curve.js";
import { find } from "./dom.js";
import { showHistory } from "./history.js";
import { same } from "./pits.js";
import { stepTime } from "./settings.js";
import { plant } from "./tree.js";
import { HUMAN, read, rootOf, write } from "./url.js";
import * as words from "./words.js";
import * as values from "./values.js";

/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./api.js").View} View */
/** @typedef {import("./api.js").Played} Played */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./url.js").State} State */
/** @typedef {import("./reviewing.js").Reviewing} Reviewing */

export class App {
  constructor() {
    this.board = new Board(
      find("board", HTMLElement),
      (pit) => this.play(String(pit.house)),
      (pit) => this.hint(pit?.house ?? null),
    );
    this.analyst = new Analyst((known) => this.learned(known));
    this.known = unknown();
    /** @type {State} */
    this.state = read("");
    /** @type {View | null} */
    this.view = null;
    /** The node of that view. @type {Node | null} */
    this.shown = null;
    /** @type {Map<string, View>} */
    this.views = new Map();
    /** What is known of each move, by the moves up to it. @type {Map<string, Played>} */
    this.played = new Map();
    /** South's margin after these moves. @type {Map<string, number>} */
    this.values = new Map();
    /** The review of this game, once it has been asked for. @type {Reviewing | null} */
    this.reviewing = null;
    this.thinking = new AbortController();
    this.visit = 0;
    this.frame = 0;
    /** @type {Promise<View> | null} */
    this.looking = null;
    /** So that no two games against a machine are alike. */
    this.seed = Math.floor(Math.random() * 1e9);
    this.showValues = localStorage.getItem("values") !== "off";
  }

  /** @param {Node} node @returns {import("./api.js").Query} */
  query(node = this.state.node) {
    const { game, start, free } = this.state;
    return { game, start, free, moves: node.moves };
  }

  /** @param {Node} node */
  async look(node) {
    const query = this.query(node);
    const name = JSON.stringify(query);
    const known = this.views.get(name);
    if (known) return known;
    const view = await api.position(query);
    this.views.set(name, view);
    view.moves.forEach((played, i) => this.played.set(node.moves.slice(0, i + 1).join(), played));
    return view;
  }

  /** Opens what an address describes. @param {string} fragment */
  async open(fragment) {
    const state = read(fragment);
    const { game, start, free } = this.state;
    if (state.game !== game || state.start !== start || state.free !== free || !this.view) this.forget();
    this.state = state;
    await this.go(state.node, { keep: false });
    // Sides and turns of the moves in variations are known only when they have been played.
    const leaves = rootOf(state.node).lines.map((line) => rootOf(state.node).follow(line));
    await Promise.all(leaves.slice(0, 40).map((leaf) => this.look(leaf).catch(() => null)));
    this.drawMoves();
  }

  /** Starts a game. @param {Partial<State>} change */
  async start(change) {
    this.forget();
    this.state = { ...this.state, start: null, free: false, ...change, node: plant([]) };
    this.seed = Math.floor(Math.random() * 1e9);
    await this.go(this.state.node);
  }

  forget() {
    this.reviewing?.end();
    this.reviewing = null;
    this.shown = null;
    this.played.clear();
    this.values.clear();
  }

  /**
   * Shows the position after a node's move.
   *
   * @param {Node} node
   * @param {{ animate?: boolean, keep?: boolean }} [how] `keep`: the address follows
   */
  async go(node, { animate = false, keep = true } = {}) {
    this.visit += 1;
    const { visit } = this;
    this.analyst.stop();
    this.thinking.abort();
    this.state.node = node;
    this.board.offer([]);
    if (keep) this.keep();
    let view;
    try {
      this.looking = this.look(node);
      view = await this.looking;
    } catch (fault) {
      if (visit === this.visit) await this.retreat(fault);
      return;
    }
    if (visit !== this.visit) return;
    this.fail(null);
    this.view = view;
    this.shown = node;
    this.known = unknown();
    this.board.turn(this.state.flip);
    this.board.mark(new Map());
    values.clear();
    this.draw();
    if (animate && view.motions && view.motions.length > 0) await this.animate(view);
    if (visit !== this.visit) return;
    this.board.show(view.board);
    this.board.landed(landingOf(view));
    this.offer();
    this.tell(view);
    this.consider();
  }

  /** Back to what was shown, or to the start, where the server refuses a move. @param {unknown} fault */
  async retreat(fault) {
    const { node } = this.state;
    const back = this.shown ?? rootOf(node);
    if (back !== node) await this.go(back, { keep: false });
    this.fail(fault);
  }

  /** @param {View} view */
  async animate(view) {
    const motions = view.motions ?? [];
    const seeds = await this.board.animate(motions, stepTime(motions.length));
    if (seeds && !same(seeds, view.board)) console.error("the motions of a move do not lead to its board");
  }

  /** The address bar, and the browser's back and forward. */
  keep() {
    const address = write(this.state);
    if (address !== location.hash) history.pushState(null, "", address);
  }

  /** Plays a move here, by the visitor. @param {string} move */
  async play(move) {
    // Whoever types fast means the position that is about to be shown.
    await this.looking?.catch(() => null);
    const { view } = this;
    if (!view?.to_move) return;
    const legal = view.legal.find((one) => one.move === move);
    if (!legal) return announce(`${words.name(move)} is not possible now.`);
    if (this.machine) return;
    this.board.hurry();
    if (this.practising) {
      const { visit } = this;
      if (!(await this.reviewing?.judge(this.query(), move, legal.again)) || visit !== this.visit) return;
    }
    await this.go(this.state.node.play(move), { animate: true });
  }

  /** Plays a move that is proven to be the best, found now if none is known yet. */
  async playBest() {
    const { view, visit } = this;
    if (!view?.to_move || this.practising) return;
    let { known } = this;
    if (known.value === null) {
      this.status("Looking for the best move\u2026");
      known = await solve(this.query(), ({ value }) => value !== null);
      if (visit !== this.visit) return;
      this.status(known.value === null ? "The best move could not be proven in time." : words.standing(view));
    }
    if (known.value !== null && known.best) await this.play(known.best[0]);
  }

  get practising() {
    return this.reviewing?.practising ?? false;
  }

  /** The machine that is to move here. Where play has gone on already, the visitor may try anything. */
  get machine() {
    const { view, state } = this;
    if (!view?.to_move || this.practising || state.node.children.length > 0) return null;
    const player = this.playerOf(view.to_move, view.swapped);
    return player === HUMAN ? null : player;
  }

  /** @param {Side} row @param {boolean} swapped */
  playerOf(row, swapped) {
    return (row === "south") !== swapped ? this.state.south : this.state.north;
  }

  /** Lets the machine move, or the solver work. */
  async consider() {
    const { view, machine } = this;
    if (!view?.to_move) return this.learnResult(view);
    if (machine) return this.reply(machine);
    this.analyse();
  }

  analyse() {
    if (this.showValues && !this.practising && this.view?.to_move) this.analyst.ask(this.query());
  }

  cancel() {
    this.analyst.stop();
    this.learned({ ...this.known, status: "cancelled" });
    announce("Analysis cancelled.");
  }

  /** @param {string} opponent */
  async reply(opponent) {
    const { visit, view } = this;
    const { node } = this.state;
    this.status(`${words.title(view?.to_move ?? "south")} (${words.player(opponent)}) is thinking\u2026`);
    this.thinking = new AbortController();
    try {
      const { move } = await api.reply(this.query(), opponent, this.seed, this.thinking.signal);
      if (visit === this.visit) await this.go(node.play(move), { animate: true });
    } catch (fault) {
      if (visit !== this.visit) return;
      this.fail(fault);
      if (!(fault instanceof api.Refusal) || fault.status !== 503) return;
      await new Promise((resume) => setTimeout(resume, fault.retryAfter * 1000));
      if (visit === this.visit) await this.reply(opponent);
    }
  }

  /** Back to the visitor's last choice. */
  undo() {
    let { node } = this.state;
    while (node.parent) {
      const about = this.played.get(node.moves.join());
      node = node.parent;
      if (!about || this.playerOf(about.side, node.moves.includes("x")) === HUMAN) break;
    }
    this.go(node);
  }

  /** @param {number} step */
  step(step) {
    const { line } = this.state.node;
    const at = this.state.node.moves.length;
    const to = Math.min(Math.max(at + step, 0), line.length - 1);
    if (to !== at) this.go(line[to], { animate: step === 1 });
  }

  /** @param {number} ply */
  jump(ply) {
    const node = this.state.node.line[ply];
    if (node) this.go(node);
  }

  flip() {
    this.state.flip = !this.state.flip;
    this.board.turn(this.state.flip);
    this.board.landed(this.view ? landingOf(this.view) : null);
    this.keep();
    this.draw();
  }

  /** @param {boolean} on */
  setValues(on) {
    this.showValues = on;
    localStorage.setItem("values", on ? "on" : "off");
    cancelAnimationFrame(this.frame);
    find("show-values", HTMLInputElement).checked = on;
    this.analyst.stop();
    values.clear();
    this.board.mark(new Map());
    this.known = unknown();
    if (!this.machine) this.analyse();
  }

  /** @param {import("./analysis.js").Known} known */
  learned(known) {
    this.known = known;
    const { view, visit } = this;
    if (!view?.to_move) return;
    const moves = this.state.node.moves;
    const sign = view.to_move === "south" ? 1 : -1;
    if (known.value !== null) this.values.set(moves.join(), sign * known.value);
    for (const { move, value } of known.moves) {
      if (value !== null) this.values.set([...moves, move].join(), sign * value);
    }
    // The solver may have more news than there are frames.
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (visit === this.visit) this.drawWorth(view);
    });
  }

  /** @param {View} view */
  drawWorth(view) {
    const { known } = this;
    const mover = view.to_move;
    if (!mover) return;
    values.show(known, mover, (move) => this.play(move));
    this.board.mark(values.marks(known, mover));
    this.drawCurve();
    this.status(this.summary(view));
    if (known.status !== "done") return;
    this.offer();
    announce([values.verdict(known, mover), values.bestTurn(known)].filter(Boolean).join(" Best turn: "));
  }

  /** @param {View | null} view */
  learnResult(view) {
    if (!view?.result) return;
    this.values.set(this.state.node.moves.join(), view.result.margin);
    this.drawCurve();
  }

  /** Everything but the board. */
  draw() {
    const { view, state } = this;
    if (!view) return;
    find("game", HTMLElement).textContent = view.game;
    document.title = `${view.game} \u2013 Sowing`;
    find("notation", HTMLElement).textContent = view.position;
    this.status(words.standing(view));
    const text = words.board(view).map((line) => Object.assign(document.createElement("p"), { textContent: line }));
    find("board-text", HTMLElement).replaceChildren(...text);
    const [near, far] = /** @type {Side[]} */ (state.flip ? ["north", "south"] : ["south", "north"]);
    this.drawSeat(find("seat-near", HTMLElement), near, view);
    this.drawSeat(find("seat-far", HTMLElement), far, view);
    find("swap", HTMLElement).hidden = !view.legal.some(({ move }) => move === "x");
    find("play-best", HTMLButtonElement).disabled = !view.to_move || this.practising;
    const at = state.node.moves.length;
    for (const id of ["first", "back", "undo"]) find(id, HTMLButtonElement).disabled = at === 0;
    for (const id of ["forward", "last"]) find(id, HTMLButtonElement).disabled = state.node.children.length === 0;
    this.drawMoves();
  }

  /** @param {HTMLElement} host @param {Side} row @param {View} view */
  drawSeat(host, row, view) {
    host.hidden = this.state.south === HUMAN && this.state.north === HUMAN;
    host.textContent = `${words.title(row)}: ${words.player(this.playerOf(row, view.swapped))}`;
    host.classList.toggle("on", view.to_move === row);
  }

  drawMoves() {
    const { node } = this.state;
    showHistory(
      find("history", HTMLElement),
      rootOf(node),
      node,
      (one) => this.played.get(one.moves.join()),
      (one) => this.reviewing?.lost(one) ?? 0,
      (one) => this.go(one),
    );
    const main = rootOf(node).line;
    find("promote", HTMLElement).hidden = main.includes(node);
    find("remove", HTMLElement).hidden = !node.parent;
    find("review", HTMLButtonElement).disabled = node.line.length < 2;
    find("practise", HTMLElement).hidden = !this.reviewing?.ready;
    this.drawCurve();
  }

  drawCurve() {
    const { node } = this.state;
    const points = node.line.map((one) => ({
      value: this.values.get(one.moves.join()) ?? null,
      worst: this.reviewing?.worst(one) ?? false,
    }));
    showCurve(find("curve", HTMLElement), points, node.moves.length, (ply) => this.jump(ply));
  }

  /** Houses that can be sown, with what is known of each. */
  offer() {
    const { view } = this;
    if (!view?.to_move || this.machine) return this.board.offer([]);
    const side = view.to_move;
    const choices = view.legal.flatMap((legal) => {
      if (!legal.lands) return [];
      const house = Number(legal.move);
      const value = this.known.moves.find(({ move }) => move === legal.move)?.value ?? null;
      const parts = [
        `${words.title(side)} house ${house}`,
        words.count(view.board[side].houses[house - 1], "seed"),
        words.landing(legal, side),
        ...(value === null || !this.showValues ? [] : [words.outcome(value)]),
      ];
      return [{ pit: { side, house }, label: parts.join(", "), lands: legal.lands }];
    });
    this.board.offer(choices);
  }

  /** @param {number | null} house */
  hint(house) {
    const { view } = this;
    if (!view?.to_move) return;
    const legal = view.legal.find(({ move }) => move === String(house));
    this.status(legal ? `House ${house}: ${words.landing(legal, view.to_move)}.` : this.summary(view));
  }

  /** @param {View} view */
  summary(view) {
    const turn = this.showValues ? values.bestTurn(this.known) : "";
    return turn ? `${words.standing(view)} Best is ${turn}.` : words.standing(view);
  }

  /** @param {string} text */
  status(text) {
    find("status", HTMLElement).textContent = text;
  }

  /** Says something for a moment. @param {string} text */
  remark(text) {
    const { visit } = this;
    this.status(text);
    announce(text);
    setTimeout(() => {
      if (visit === this.visit && this.view) this.status(this.summary(this.view));
    }, 2500);
  }

  /** @param {View} view */
  tell(view) {
    const last = view.moves[view.moves.length - 1];
    const what = last ? `${words.title(last.side)} ${last.move === "x" ? "swaps sides" : `sows house ${last.move}`}` : "";
    const notes = last ? [what, ...(last.captured ? [`captures ${last.captured}`] : []), ...(last.again ? ["moves again"] : [])] : [];
    announce([notes.join(", "), words.standing(view)].filter(Boolean).join(". "));
  }

  /** @param {unknown} fault */
  fail(fault) {
    const note = find("fault", HTMLElement);
    note.hidden = fault === null;
    note.textContent = fault === null ? "" : fault instanceof Error ? fault.message : String(fault);
  }
}

/** @param {View} view @returns {import("./pits.js").Pit | null} */
function landingOf({ motions }) {
  const last = motions?.findLast(({ kind }) => kind === "sow");
  return last ? { side: last.side, house: last.house } : null;
}
