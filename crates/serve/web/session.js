// The game: which position is shown, the visitor's moves and the machine's replies.

/** @import { Action, Address, GameStore, Query, View } from "./types.js" */

import { leftGame } from "./address.js";
import { solve } from "./analysis.js";
import * as backend from "./backend.js";
import { pause } from "./pause.js";
import { Recent } from "./recent.js";
import { lastChoice, machineOf, queryOf } from "./state.js";
import { name, narrated, player, summary, title } from "./text.js";
import { rootOf, Tree } from "./tree.js";
import { HUMAN, read } from "./url.js";

/** Milliseconds that a remark stands. */
const REMARK = 2500;

/** Lines whose moves are fetched when a game is opened. */
const MAX_LINES = 40;

export class Session {
  /** @param {GameStore} store @param {Pick<typeof backend, "position" | "record" | "reply">} [api] */
  constructor(store, api = backend) {
    this.store = store;
    this.api = api;
    /** @type {Recent<View>} */
    this.views = new Recent(400);
    /** Aborted when another game begins. */
    this.game = new AbortController();
    /** Aborted when another position is asked for. */
    this.visit = new AbortController();
    /** The position that was asked for last. @type {Promise<View> | null} */
    this.looking = null;
    this.seed = newSeed();
    this.life = new AbortController();
    store.subscribe((_, action) => void this.hear(action), this.life.signal);
  }

  destroy() {
    for (const work of [this.life, this.game, this.visit]) work.abort();
  }

  get state() {
    return this.store.state;
  }

  /** @param {Action} action */
  async hear(action) {
    // The store finishes its queue before this dispatches anything.
    await null;
    switch (action.type) {
      case "open":
        return this.open(action.fragment);
      case "start":
        return this.start(action.change);
      case "rematch":
        return this.rematch();
      case "go":
        return this.go(action);
      case "play":
        return this.play(action.move);
      case "best":
        return this.playBest();
      case "undo":
        return this.go({ node: lastChoice(this.state) });
      case "settled":
        return this.settled();
      case "practice":
        return action.practice ? undefined : this.resume();
    }
  }

  /** Opens an address; without one, the last game. @param {string} fragment */
  async open(fragment) {
    const left = fragment.length > 1 ? null : leftGame();
    const address = read(left ?? fragment);
    const { state } = this;
    const same = (/** @type {"game" | "start" | "free" | "first"} */ field) => address[field] === state[field];
    const fresh = !state.view || !(same("game") && same("start") && same("free") && same("first"));
    this.begin(address, fresh);
    if (left) history.replaceState(null, "", left);
    const { signal } = this.game;
    const root = rootOf(address.node);
    const leaves = () => root.lines.slice(0, MAX_LINES).map((line) => root.follow(line));
    const recalled = this.recall(leaves());
    await this.show(address.node);
    if (signal.aborted || !this.state.view) return;
    if (left && address.node.line.length > 1) this.remark("Your last game is back.");
    await recalled;
    // A link with a bad move has been cut off there.
    if (this.state.node !== address.node) await this.recall(leaves());
  }

  /** @param {Partial<Address>} change */
  async start(change) {
    const { game, south, north, flip } = this.state;
    const blank = {
      game,
      start: null,
      free: false,
      first: /** @type {const} */ ("south"),
      node: Tree.fromLines([]),
      flip,
      south,
      north,
    };
    this.seed = newSeed();
    this.begin({ ...blank, ...change }, true);
    await this.go({ node: this.state.node, push: true });
  }

  /** The same once more, the other side first. */
  async rematch() {
    const { game, start, free, first, south, north, flip } = this.state;
    const people = south === HUMAN && north === HUMAN;
    await this.start({ game, start, free, first, south: north, north: south, flip: people ? flip : !flip });
  }

  /** @param {Address} address @param {boolean} fresh whether nothing that is known is of this game */
  begin(address, fresh) {
    if (fresh) this.game = renewed(this.game);
    this.store.dispatch({ type: "opened", address, fresh });
  }

  /** Shows the position after a node's move, and learns of the moves before it. @param {{ node: Tree | null | undefined, animate?: boolean, push?: boolean }} where */
  async go({ node, ...how }) {
    if (!node) return;
    await Promise.all([this.show(node, how), this.recall([node])]);
  }

  /** @param {Tree} node @param {{ animate?: boolean, push?: boolean }} [how] */
  async show(node, { animate = false, push = false } = {}) {
    this.visit = renewed(this.visit);
    const { signal } = this.visit;
    this.store.dispatch({ type: "going", node });
    try {
      this.looking = this.look(queryOf(this.state, node), signal);
      const view = await this.looking;
      if (!signal.aborted) this.store.dispatch({ type: "arrived", view, animate, push, signal });
    } catch (fault) {
      if (!signal.aborted) await this.retreat(node, fault);
    }
  }

  /** @param {Query} query @param {AbortSignal} signal */
  async look(query, signal) {
    const name = JSON.stringify(query);
    const view = this.views.get(name) ?? (await this.api.position(query, signal));
    this.views.set(name, view);
    return view;
  }

  /** Learns of all moves up to these nodes, unless they are known. The move of the position that is shown comes with it. @param {Tree[]} nodes */
  async recall(nodes) {
    const { signal } = this.game;
    const { node: here, played } = this.state;
    const known = (/** @type {Tree | null} */ node) => {
      for (let one = node === here ? node.parent : node; one?.parent; one = one.parent) {
        if (!played.has(one.moves.join())) return false;
      }
      return true;
    };
    const asked = nodes
      .filter((node) => !known(node))
      .map(async (node) => {
        const told = await this.api.record(queryOf(this.state, node), signal).catch(() => null);
        if (told && !signal.aborted) this.store.dispatch({ type: "played", line: node.moves, played: told.moves });
      });
    await Promise.all(asked);
  }

  /** Goes back to the last legal move of the line, or to the position shown before. @param {Tree} node @param {unknown} fault */
  async retreat(node, fault) {
    const legal = fault instanceof backend.ApiError ? fault.legal : null;
    if (legal !== null && legal < node.moves.length) {
      const broken = rootOf(node).follow(node.moves.slice(0, legal + 1));
      await this.show(broken.remove());
      const said = fault instanceof Error ? fault.message : "";
      return this.fail(`The link goes on with a move that cannot be played; it is shown up to there. (${said})`);
    }
    const { shown } = this.state;
    if (shown && shown !== node) await this.show(shown);
    this.fail(backend.explained(fault));
    if (!this.state.view) this.store.dispatch({ type: "closed" });
  }

  /** Plays a move here, by the visitor. @param {string} move */
  async play(move) {
    // A visitor who types fast means the position that is about to be shown.
    await this.looking?.catch(() => null);
    const { state } = this;
    const { view, node, practice } = state;
    if (!view?.to_move) return;
    const legal = view.legal.find((one) => one.move === move);
    if (!legal) {
      this.store.dispatch({ type: "refused", move });
      return this.remark(`${name(move)} cannot be played now.`);
    }
    if (machineOf(state)) return;
    const { signal } = this.visit;
    if (practice && !(await practice.judge(queryOf(state), move, legal.again, signal))) return;
    if (signal.aborted) return;
    await this.show(node.play(move), { animate: true });
  }

  /** Plays a move that is proven to be the best, found now if none is known yet. */
  async playBest() {
    const { view, practice } = this.state;
    let { known } = this.state;
    const { signal } = this.visit;
    if (!view?.to_move || practice) return;
    if (!known || known.value === null) {
      this.status("Looking for the best move\u2026");
      known = await solve(queryOf(this.state), ({ value }) => value !== null, { signal });
      if (signal.aborted) return;
      this.status(known.value === null ? "The best move could not be proven in time." : summary(view));
    }
    if (known.value !== null && known.best) await this.play(known.best[0]);
  }

  async settled() {
    const { view } = this.state;
    if (view) this.store.dispatch({ type: "announce", text: summary(view) });
    await this.reply();
  }

  /** Goes on where practice ended. */
  async resume() {
    if (this.state.view) this.status(summary(this.state.view));
    await this.reply();
  }

  /** Lets the machine move where it is to move. */
  async reply() {
    const { state } = this;
    const { view, node } = state;
    const machine = machineOf(state);
    if (!view?.to_move || !machine) return;
    const { signal } = this.visit;
    this.status(`${narrated(view)} ${title(view.to_move)} (${player(machine)}) is thinking\u2026`.trim());
    try {
      const { move } = await this.api.reply(queryOf(state), machine, this.seed, signal);
      if (!signal.aborted) await this.show(node.play(move), { animate: true });
    } catch (fault) {
      if (signal.aborted) return;
      this.fail(backend.explained(fault));
      if (!(fault instanceof backend.ApiError) || (fault.status !== 503 && fault.status !== 0)) return;
      await pause(fault.retryAfter * 1000, signal);
      if (!signal.aborted) await this.reply();
    }
  }

  /** @param {string} text */
  status(text) {
    this.store.dispatch({ type: "status", text });
  }

  /** Says something for a moment. @param {string} text */
  async remark(text) {
    const { signal } = this.visit;
    this.status(text);
    this.store.dispatch({ type: "announce", text });
    await pause(REMARK, signal);
    if (!signal.aborted && this.state.view) this.status(summary(this.state.view));
  }

  /** @param {string} fault */
  fail(fault) {
    this.store.dispatch({ type: "failed", fault });
  }
}

/** So that no two games against a machine are alike. */
function newSeed() {
  return Math.floor(Math.random() * 1e9);
}

/** @param {AbortController} work */
function renewed(work) {
  work.abort();
  return new AbortController();
}
