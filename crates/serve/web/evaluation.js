// The analysis of the position that is shown.

/** @import { Known } from "./analysis.js" */
/** @import { Action, GameStore } from "./types.js" */

import { Analyst, unknown } from "./analysis.js";
import { machineOf, queryOf } from "./state.js";
import { bestTurn, verdict } from "./values.js";

export class Evaluation {
  /** @param {GameStore} store */
  constructor(store) {
    this.store = store;
    this.analyst = new Analyst((known) => this.learn(known));
    this.latest = unknown();
    this.frame = 0;
    this.analysis = new AbortController();
    this.life = new AbortController();
    store.subscribe((_, action) => void this.hear(action), this.life.signal);
  }

  destroy() {
    this.life.abort();
    this.stop();
  }

  get state() {
    return this.store.state;
  }

  /** @param {Action} action */
  async hear(action) {
    await null;
    switch (action.type) {
      case "going":
        return this.stop();
      case "settled":
        return this.evaluate();
      case "practice":
        return action.practice ? this.stop() : this.evaluate();
      case "analyse":
        return this.analyse(action.line);
      case "stop":
        return this.cancel();
      case "learned":
        return this.tell(action.known);
      case "prefer":
        return action.name === "values" ? this.restart() : undefined;
    }
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.analysis.abort();
  }

  /** Works on the position unless a machine is to move. */
  evaluate() {
    if (!machineOf(this.state)) this.analyse();
  }

  analyse(withLine = false) {
    const { preferences, practice, view } = this.state;
    if (!preferences.values || practice || !view?.to_move) return;
    this.analysis.abort();
    this.analysis = new AbortController();
    void this.analyst.ask(queryOf(this.state), this.analysis.signal, withLine);
  }

  /** The solver may have more news than there are frames. @param {Known} known */
  learn(known) {
    this.latest = known;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.store.dispatch({ type: "learned", known }));
  }

  cancel() {
    this.stop();
    this.store.dispatch({ type: "learned", known: { ...this.latest, status: "cancelled" } });
    this.store.dispatch({ type: "announce", text: "Analysis stopped." });
  }

  /** @param {Known} known */
  tell(known) {
    const mover = this.state.view?.to_move;
    if (!mover || known.status !== "done") return;
    const text = [verdict(known, mover), bestTurn(known, mover)].filter(Boolean).join(" ");
    this.store.dispatch({ type: "announce", text });
  }

  restart() {
    this.stop();
    this.evaluate();
  }
}
