// Hints beside the values: how players choose, and arrows. Loaded when one is switched on.

/** @import { Arrow, Pit } from "./board/board.js" */
/** @import { Action, GameStore, Query } from "./types.js" */

import { solve } from "./analysis.js";
import * as backend from "./backend.js";
import { effect } from "./board/pits.js";
import { pause } from "./pause.js";
import { machineOf, queryOf } from "./state.js";

/** Moves of a turn that an arrow follows. */
const ARROW_MOVES = 6;

/** Milliseconds that a threat is looked for. */
const THREAT_TIME = 8_000;

export class Hints {
  /** @param {GameStore} store @param {Pick<typeof backend, "choices" | "motions">} [api] */
  constructor(store, api = backend) {
    this.store = store;
    this.api = api;
    /** Aborted when another position is shown. */
    this.work = new AbortController();
    /** The arrows that are on their way. @type {Set<Arrow["kind"]>} */
    this.pointed = new Set();
    this.life = new AbortController();
    store.subscribe((_, action) => void this.hear(action), this.life.signal);
    void this.look();
  }

  destroy() {
    this.life.abort();
    this.stop();
  }

  get state() {
    return this.store.state;
  }

  /** @param {Action} action */
  async hear({ type }) {
    await null;
    if (["going", "practice", "prefer"].includes(type)) this.stop();
    if (["settled", "practice", "prefer"].includes(type)) await this.look();
    if (type === "learned") await this.pointBest();
  }

  stop() {
    this.work.abort();
    this.work = new AbortController();
    this.pointed = new Set();
  }

  /** Asks for the hints that are switched on and missing. */
  async look() {
    const { view, settled, practice, preferences } = this.state;
    if (!view?.to_move || !settled || practice || !preferences.values || machineOf(this.state)) return;
    await Promise.all([this.askChoices(), this.pointBest(), this.askThreat()]);
  }

  async askChoices() {
    const { signal } = this.work;
    while (this.state.preferences.choices && !this.state.choices && !signal.aborted) {
      try {
        const choices = await this.api.choices(queryOf(this.state), signal);
        if (!signal.aborted && this.state.preferences.choices) this.store.dispatch({ type: "chosen", choices });
        return;
      } catch (fault) {
        if (!(fault instanceof backend.ApiError) || fault.status !== 503) return;
        await pause(fault.retryAfter * 1000, signal);
      }
    }
  }

  /** An arrow for the best turn, once it is known. */
  async pointBest() {
    const { known } = this.state;
    const best = known?.best;
    if (best && known.value !== null)
      await this.point("best", (signal) => this.path(queryOf(this.state), best, signal));
  }

  /** An arrow for the best turn of the other side, if it were to move. */
  async askThreat() {
    if (!this.state.view?.to_move) return;
    await this.point("threat", async (signal) => {
      const query = { ...queryOf(this.state), pass: true };
      const { best } = await solve(query, ({ value }) => value !== null, { time: THREAT_TIME, signal });
      return best ? this.path(query, best, signal) : [];
    });
  }

  /**
   * Draws an arrow, unless one of its kind is there or on its way.
   *
   * @param {Arrow["kind"]} kind
   * @param {(signal: AbortSignal) => Promise<Pit[]>} find
   */
  async point(kind, find) {
    const { pointed } = this;
    const { signal } = this.work;
    const { preferences, arrows } = this.state;
    if (!preferences.arrows || pointed.has(kind) || arrows.some((arrow) => arrow.kind === kind)) return;
    pointed.add(kind);
    const path = await find(signal).catch(() => []);
    pointed.delete(kind);
    if (path.length > 0 && !signal.aborted) this.store.dispatch({ type: "arrow", arrow: { kind, path } });
  }

  /** The pits that a turn goes through. @param {Query} query @param {string[]} turn @param {AbortSignal} signal */
  async path(query, turn, signal) {
    const motions = turn.length > 0 ? await this.api.motions(query, turn.slice(0, ARROW_MOVES), signal) : null;
    return (motions ?? []).map((motion) => effect(motion).pit);
  }
}
