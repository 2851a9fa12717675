// The analysis board: what is shown, and what happens when a move is played. Drawing is in screen.js.

import { Analyst, solve, unknown } from "./analysis.js";
import { announce } from "./announce.js";
import * as backend from "./backend.js";
import { Board } from "./board.js";
import { find } from "./dom.js";
import { ends } from "./ends.js";
import { Recent } from "./recent.js";
import * as screen from "./screen.js";
import { keep, kept, stepTime } from "./settings.js";
import { tick } from "./sound.js";
import { plant, rootOf } from "./tree.js";
import { HUMAN, read, write } from "./url.js";
import * as words from "./words.js";
import * as values from "./values.js";

/** @typedef {import("./backend.js").Side} Side */
/** @typedef {import("./backend.js").View} View */
/** @typedef {import("./backend.js").Played} Played */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./url.js").State} State */
/** @typedef {import("./reviewing.js").Reviewing} Reviewing */

/** What was played last is kept here, so that nothing is lost with the tab. */
const LAST = "last game";

export class App {
  constructor() {
    this.board = new Board(find("board", HTMLElement), {
      chosen: (pit) => this.play(String(pit.house)),
      aimed: (pit) => this.hint(pit?.house ?? null),
      dropped: tick,
    });
    this.analyst = new Analyst((known) => this.learned(known));
    this.known = unknown();
    /** @type {State} */
    this.state = read("");
    /** @type {View | null} */
    this.view = null;
    /** The node of that view. @type {Node | null} */
    this.shown = null;
    /** @type {Recent<View>} */
    this.views = new Recent(400);
    /** What is known of each move, by the moves up to it. @type {Map<string, Played>} */
    this.played = new Map();
    /** South's margin after these moves. @type {Map<string, number>} */
    this.values = new Map();
    /** The review of this game, once it has been asked for. @type {Reviewing | null} */
    this.reviewing = null;
    /** How players choose here, once it has been asked for. @type {backend.Choices | null} */
    this.choices = null;
    this.thinking = new AbortController();
    this.visit = 0;
    this.frame = 0;
    /** @type {Promise<View> | null} */
    this.looking = null;
    /** So that no two games against a machine are alike. */
    this.seed = Math.floor(Math.random() * 1e9);
    this.showValues = kept("values") !== "off";
    this.showArrows = kept("arrows") === "on";
    this.showChoices = kept("choices") === "on";
  }

  /** @param {Node} node @returns {backend.Query} */
  query(node = this.state.node) {
    const { game, start, free, first } = this.state;
    return { game, start, free, first, moves: node.moves };
  }

  /** @param {backend.Query} query */
  async asked(query) {
    const name = JSON.stringify(query);
    const known = this.views.get(name);
    const view = known ?? (await backend.position(query));
    if (!known) this.views.set(name, view);
    return view;
  }

  /** @param {Node} node */
  async look(node) {
    const view = await this.asked(this.query(node));
    view.moves.forEach((played, i) => this.played.set(node.moves.slice(0, i + 1).join(), played));
    return view;
  }

  /** Opens what an address describes; without one, the game that was left last. @param {string} fragment */
  async open(fragment) {
    const last = fragment.length > 1 ? null : kept(LAST);
    const state = read(last ?? fragment);
    const { game, start, free, first } = this.state;
    if (state.game !== game || state.start !== start || state.free !== free || state.first !== first || !this.view) this.forget();
    this.state = state;
    if (last) history.replaceState(null, "", last);
    await this.go(state.node);
    if (!this.view) return;
    if (last && state.node.line.length > 1) this.remark("Your last game is back.");
    // Sides and turns of the moves in variations are known only when they have been played.
    const root = rootOf(this.state.node);
    const leaves = root.lines.map((line) => root.follow(line));
    await Promise.all(leaves.slice(0, 40).map((leaf) => this.look(leaf).catch(() => null)));
    this.drawMoves();
  }

  /** Starts a game. @param {Partial<State>} change */
  async start(change) {
    this.forget();
    this.state = { ...this.state, start: null, free: false, first: "south", node: plant([]), ...change };
    this.seed = Math.floor(Math.random() * 1e9);
    await this.go(this.state.node, { push: true });
  }

  /** The same once more, the other side first. */
  rematch() {
    const { south, north, flip } = this.state;
    const { game, start, free, first } = this.state;
    const bothPeople = south === HUMAN && north === HUMAN;
    return this.start({ game, start, free, first, south: north, north: south, flip: bothPeople ? flip : !flip });
  }

  forget() {
    this.reviewing?.end();
    this.reviewing = null;
    this.shown = null;
    this.view = null;
    this.played.clear();
    this.values.clear();
  }

  /**
   * Shows the position after a node's move.
   *
   * @param {Node} node
   * @param {{ animate?: boolean, push?: boolean }} [how] `push`: the browser's Back comes back to what was before
   */
  async go(node, { animate = false, push = false } = {}) {
    this.visit += 1;
    const { visit } = this;
    this.analyst.stop();
    this.thinking.abort();
    this.state.node = node;
    this.board.set({ choices: [], arrows: [] });
    let view;
    try {
      this.looking = this.look(node);
      view = await this.looking;
    } catch (fault) {
      if (visit === this.visit) await this.retreat(fault);
      return;
    }
    if (visit !== this.visit) return;
    this.keep(push);
    this.fail(null);
    this.view = view;
    this.shown = node;
    this.known = unknown();
    this.choices = null;
    if (this.board.config.flip !== this.state.flip) this.board.set({ flip: this.state.flip });
    this.board.set({ marks: new Map(), landed: null, origin: null, mover: view.to_move });
    values.clear();
    this.draw();
    if (animate && view.motions && view.motions.length > 0) await this.animate(view);
    if (visit !== this.visit) return;
    const { landed, origin } = ends(view);
    this.board.set({ seeds: words.swept(view), landed, origin });
    this.offer();
    this.tell(view);
    this.consider();
  }

  /** Goes on with what can be played, or back to what was shown. @param {unknown} fault */
  async retreat(fault) {
    const { node } = this.state;
    const legal = fault instanceof backend.Refusal ? fault.legal : null;
    if (legal !== null && legal < node.moves.length) {
      const moves = node.moves.slice(0, legal + 1);
      const broken = rootOf(node).follow(moves);
      const back = broken.remove();
      await this.go(back);
      const said = fault instanceof Error ? fault.message : "";
      this.fail(`The link goes on with a move that cannot be played; it is shown up to there. (${said})`);
      return;
    }
    const back = this.shown;
    if (back && back !== node) await this.go(back);
    this.fail(fault);
    if (!this.view) screen.close();
  }

  /** @param {View} view */
  async animate(view) {
    const motions = view.motions ?? [];
    const seeds = await this.board.animate(motions, stepTime(motions.length));
    if (seeds && !this.board.holds(view.board)) console.error("the motions of a move do not lead to its board");
  }

  /** The address bar. Moves and steps write over it, so that Back leaves the game, and nothing newer is lost by it. @param {boolean} push */
  keep(push = false) {
    const address = write(this.state);
    if (address === location.hash) return;
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    keep(LAST, address);
  }

  /** Plays a move here, by the visitor. @param {string} move */
  async play(move) {
    // Whoever types fast means the position that is about to be shown.
    await this.looking?.catch(() => null);
    const { view } = this;
    if (!view?.to_move) return;
    const legal = view.legal.find((one) => one.move === move);
    if (!legal) {
      if (move !== "swap") this.board.refuse({ side: view.to_move, house: Number(move) });
      return this.remark(`${words.name(move)} cannot be played now.`);
    }
    if (this.machine) return;
    this.board.hurry();
    if (this.practising) {
      const { visit } = this;
      if (!(await this.reviewing?.judge(this.query(), move, legal.again)) || visit !== this.visit) return;
    }
    await this.go(this.state.node.play(move), { animate: true });
  }

  /** Goes to the end of a line from here. @param {string[]} moves */
  async follow(moves) {
    if (moves.length === 1) return this.play(moves[0]);
    await this.go(this.state.node.follow(moves));
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
      this.status(known.value === null ? "The best move could not be proven in time." : this.summary(view));
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

  analyse(withLine = false) {
    if (!this.showValues || this.practising || !this.view?.to_move) return;
    this.analyst.ask(this.query(), withLine);
    if (this.showChoices) this.askChoices();
    if (this.showArrows) screen.askThreat(this);
  }

  async askChoices() {
    const { visit, view } = this;
    const { signal } = this.analyst.abort;
    while (visit === this.visit && this.showChoices && !signal.aborted) {
      try {
        this.choices = await backend.choices(this.query(), signal);
        break;
      } catch (fault) {
        if (!(fault instanceof backend.Refusal) || fault.status !== 503) return;
        await new Promise((resume) => setTimeout(resume, fault.retryAfter * 1000));
      }
    }
    if (visit === this.visit && view?.to_move) this.drawWorth(view);
  }

  cancel() {
    this.analyst.stop();
    this.learned({ ...this.known, status: "cancelled" });
    announce("Analysis stopped.");
  }

  /** @param {string} opponent */
  async reply(opponent) {
    const { visit, view } = this;
    const { node } = this.state;
    const said = view ? this.narrated(view) : "";
    this.status(`${said} ${words.title(view?.to_move ?? "south")} (${words.player(opponent)}) is thinking\u2026`.trim());
    this.thinking = new AbortController();
    try {
      const { move } = await backend.reply(this.query(), opponent, this.seed, this.thinking.signal);
      if (visit === this.visit) await this.go(node.play(move), { animate: true });
    } catch (fault) {
      if (visit !== this.visit) return;
      this.fail(fault);
      if (!(fault instanceof backend.Refusal) || (fault.status !== 503 && fault.status !== 0)) return;
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
      if (!about || this.playerOf(about.side, node.moves.includes("swap")) === HUMAN) break;
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
    this.board.set({ flip: this.state.flip });
    this.keep();
    this.draw();
  }

  /** @param {boolean} on */
  setValues(on) {
    this.showValues = on;
    keep("values", on ? "on" : "off");
    cancelAnimationFrame(this.frame);
    find("show-values", HTMLInputElement).checked = on;
    document.body.classList.toggle("without-values", !on);
    this.analyst.stop();
    values.clear();
    this.board.set({ marks: new Map(), arrows: [] });
    this.known = unknown();
    if (!this.machine) this.analyse();
  }

  /** @param {"arrows" | "choices"} what @param {boolean} on */
  setExtra(what, on) {
    keep(what, on ? "on" : "off");
    if (what === "arrows") this.showArrows = on;
    else this.showChoices = on;
    if (!on) this.choices = null;
    if (what === "arrows") {
      if (on) screen.askThreat(this);
      else this.board.set({ arrows: [] });
    } else if (on) this.askChoices();
    if (this.view) this.drawWorth(this.view);
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
    if (!mover || !this.showValues) return;
    values.show(known, mover, { play: (moves) => this.follow(moves.split(",")), choices: this.choices });
    this.board.set({ marks: values.marks(known, mover) });
    this.drawMoves();
    if (known.value !== null) screen.showArrows(this);
    if (known.status !== "done") return;
    this.offer();
    announce([values.verdict(known, mover), values.bestTurn(known, mover)].filter(Boolean).join(" "));
  }

  /** @param {View | null} view */
  learnResult(view) {
    if (!view?.result) return;
    this.values.set(this.state.node.moves.join(), view.result.margin);
    find("verdict", HTMLElement).textContent = words.standing(view);
    this.drawMoves();
  }

  /** Everything but the board. */
  draw() {
    if (!this.view) return;
    screen.draw(this, this.view);
    this.status(this.summary(this.view));
    this.drawMoves();
  }

  drawMoves() {
    screen.drawMoves(this);
  }

  /** Houses that can be sown, with what is known of each. */
  offer() {
    const { view } = this;
    if (!view?.to_move || this.machine) return this.board.set({ choices: [] });
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
    this.board.set({ choices });
  }

  /** @param {number | null} house */
  hint(house) {
    const { view } = this;
    if (!view?.to_move) return;
    const legal = view.legal.find(({ move }) => move === String(house));
    this.status(legal ? `House ${house}: ${words.landing(legal, view.to_move)}.` : this.summary(view));
  }

  /** @param {View} view */
  narrated(view) {
    const last = view.moves[view.moves.length - 1];
    return last ? words.narration(last, view.motions ?? null) : "";
  }

  /** What happened last, and what is to be done. @param {View} view */
  summary(view) {
    return [this.narrated(view), words.standing(view)].filter(Boolean).join(" ");
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
    announce(this.summary(view));
  }

  /** @param {unknown} fault */
  fail(fault) {
    const note = find("fault", HTMLElement);
    note.hidden = fault === null;
    if (fault === null) return note.replaceChildren();
    note.textContent = backend.explained(fault);
  }
}
