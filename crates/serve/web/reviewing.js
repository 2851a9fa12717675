// A game looked at afterwards: its review, and practice on its mistakes. Loaded when asked for.

import { announce } from "./announce.js";
import { find } from "./dom.js";
import { Practice } from "./practice.js";
import { endOf, mistakes, review, showReview } from "./review.js";
import { rootOf } from "./tree.js";
import { HUMAN } from "./url.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./backend.js").Query} Query */
/** @typedef {import("./review.js").Known} Known */
/** @typedef {import("./review.js").Turn} Turn */
/** @typedef {import("./tree.js").Node} Node */

/** Turns that are marked as the worst. */
const WORST = 5;

export class Reviewing {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.report = find("report", HTMLElement);
    this.coach = find("coach", HTMLElement);
    this.abort = new AbortController();
    const { line } = app.state.node;
    /** @type {Known} */
    this.known = { query: app.query(line[line.length - 1]), turns: [], review: null, waiting: false };
    /** Points lost, by the moves up to the end of the turn. @type {Map<string, number>} */
    this.losses = new Map();
    /** @type {Practice | null} */
    this.practice = null;
  }

  async start() {
    this.report.textContent = "Reviewing\u2026";
    try {
      await review(this.known.query, this.abort.signal, (known) => this.learn(known));
      announce(this.report.textContent ?? "");
    } catch (fault) {
      if (!this.abort.signal.aborted) this.report.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  }

  end() {
    this.abort.abort();
    this.practice = null;
    this.coach.hidden = true;
    this.report.replaceChildren();
  }

  /** @param {Known} known */
  learn(known) {
    this.known = known;
    for (const turn of known.turns) {
      const south = turn.side === "south" ? 1 : -1;
      const before = known.query.moves.slice(0, turn.ply).join();
      if (turn.before.value !== null) this.app.values.set(before, south * turn.before.value);
      if (turn.after.value !== null) this.app.values.set(endOf(known, turn), south * turn.after.value);
      this.losses.set(endOf(known, turn), turn.lost ?? 0);
    }
    this.show();
    this.app.drawMoves();
  }

  show() {
    showReview(this.report, this.known, (ply) => this.jump(ply));
  }

  /** @param {Node} node */
  lost(node) {
    return this.losses.get(node.moves.join()) ?? 0;
  }

  /** @param {Node} node */
  worst(node) {
    return mistakes(this.known).slice(0, WORST).some((turn) => endOf(this.known, turn) === node.moves.join());
  }

  /** @param {number} ply */
  jump(ply) {
    return this.app.go(rootOf(this.app.state.node).follow(this.known.query.moves.slice(0, ply)));
  }

  /** Whether there is something to practise. */
  get ready() {
    return !this.practice && mistakes(this.known).some((turn) => this.own(turn));
  }

  get practising() {
    return this.practice !== null;
  }

  /** Whether a person played this turn; where no person played, all turns count. @param {Turn} turn */
  own(turn) {
    const { south, north } = this.app.state;
    if (south !== HUMAN && north !== HUMAN) return true;
    return (turn.player === "south" ? south : north) === HUMAN;
  }

  practise() {
    const turns = mistakes(this.known).filter((turn) => this.own(turn));
    this.practice = new Practice(
      this.coach,
      turns,
      (turn) => this.jump(turn.ply),
      () => {
        this.practice = null;
        this.coach.hidden = true;
        this.show();
        this.app.draw();
        this.app.consider();
      },
    );
    this.practice.pose();
  }

  /** @param {Query} query @param {string} move @param {boolean} again */
  async judge(query, move, again) {
    return (await this.practice?.judge(query, move, again)) ?? true;
  }
}
