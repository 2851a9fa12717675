// The review of a game: a report on its worst turns, and practice on them. Loaded when it is asked for.

/** @import { Known } from "../review.js" */
/** @import { GameStore, ReviewedTurn } from "../types.js" */

import { button, make } from "../dom.js";
import { endOf, mistakes, review, sums } from "../review.js";
import { queryOf } from "../state.js";
import { count, turn as spell, title } from "../text.js";
import { rootOf } from "../tree.js";
import { HUMAN } from "../url.js";
import { Panel } from "./panel.js";
import { Practice } from "./practice.js";

/** Turns that are marked as the worst. */
const WORST = 5;

export class ReviewPanel extends Panel {
  /** @param {HTMLElement} root @param {GameStore} store @param {HTMLElement} coach where practice is led */
  constructor(root, store, coach) {
    super(root, store);
    this.coach = coach;
    this.work = new AbortController();
    /** @type {Known} */
    this.known = { query: queryOf(store.state), turns: [], review: null, waiting: false };
    this.watch(["review"], ({ review }) => review || this.end());
  }

  /** Reviews the line that is shown, and no other any more. */
  async start() {
    this.end();
    const { state } = this.store;
    this.work = new AbortController();
    const { signal } = this.work;
    this.known = { query: queryOf(state, state.node.line.at(-1)), turns: [], review: null, waiting: false };
    this.dispatch({ type: "reviewed", review: { losses: new Map(), worst: new Set(), ready: false } });
    this.root.textContent = "Reviewing\u2026";
    try {
      await review(this.known.query, signal, (known) => signal.aborted || this.learn(known));
      if (!signal.aborted) this.dispatch({ type: "announce", text: this.root.textContent ?? "" });
    } catch (fault) {
      if (!signal.aborted) this.root.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  }

  end() {
    this.work.abort();
    this.coach.hidden = true;
    this.root.replaceChildren();
    if (this.store.state.practice) this.dispatch({ type: "practice", practice: null });
  }

  destroy() {
    super.destroy();
    this.work.abort();
  }

  /** @param {Known} known */
  learn(known) {
    this.known = known;
    /** @type {Map<string, number>} */
    const values = new Map();
    for (const turn of known.turns) {
      const south = turn.side === "south" ? 1 : -1;
      if (turn.before.value !== null)
        values.set(known.query.moves.slice(0, turn.ply).join(), south * turn.before.value);
      if (turn.after.value !== null) values.set(endOf(known, turn), south * turn.after.value);
    }
    const losses = new Map(known.turns.map((turn) => [endOf(known, turn), turn.lost ?? 0]));
    const worst = new Set(
      mistakes(known)
        .slice(0, WORST)
        .map((turn) => endOf(known, turn)),
    );
    this.report();
    this.dispatch({ type: "reviewed", review: { losses, worst, ready: this.own().length > 0 }, values });
  }

  report() {
    const { known, root } = this;
    const worst = mistakes(known).slice(0, WORST);
    const unknown = known.turns.filter(({ lost }) => lost === null).length;
    root.replaceChildren(make("p", {}, sums(known)));
    if (unknown > 0)
      root.append(make("p", { class: "hint" }, `${count(unknown, "turn")} could not be valued in time.`));
    if (worst.length > 0)
      root.append(make("ol", { "aria-label": "Worst turns" }, ...worst.map((turn) => make("li", {}, this.row(turn)))));
    else if (known.review?.complete) root.append(make("p", { class: "hint" }, "Every turn was perfect."));
  }

  /** @param {ReviewedTurn} turn */
  row(turn) {
    const row = button("", () => this.jump(turn), { class: "mistake" });
    row.append(
      make("span", {}, `${turn.turn}. `, make("b", { class: turn.side }, title(turn.side)), ` ${spell(turn.moves)}`),
      make("span", { class: "lost" }, `\u2212${turn.lost}`),
      make("span", { class: "better" }, turn.best ? `better: ${spell(turn.best)}` : ""),
    );
    return row;
  }

  /** Shows the position before a turn. @param {ReviewedTurn} turn */
  jump({ ply }) {
    this.dispatch({ type: "go", node: rootOf(this.store.state.node).follow(this.known.query.moves.slice(0, ply)) });
  }

  /** The mistakes that a person made; where no person played, all of them. @returns {ReviewedTurn[]} */
  own() {
    const { south, north } = this.store.state;
    const machines = south !== HUMAN && north !== HUMAN;
    return mistakes(this.known).filter(({ player }) => machines || (player === "south" ? south : north) === HUMAN);
  }

  practise() {
    const practice = new Practice(
      this.coach,
      this.own(),
      (turn) => this.jump(turn),
      () => {
        this.coach.hidden = true;
        this.report();
        this.dispatch({ type: "practice", practice: null });
      },
    );
    this.dispatch({ type: "practice", practice });
    practice.pose();
  }
}
