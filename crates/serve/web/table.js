// A board with a game on it, for pages that pose a task: it shows a position, plays the motions of its last move and tells
// which legal move was chosen.

/** @import { Legal, Query, View } from "./types.js" */

import { position } from "./backend.js";
import { Board } from "./board/board.js";
import { choices } from "./choices.js";
import { ends } from "./ends.js";
import { stepTime } from "./settings.js";
import { tick } from "./sound.js";
import { swept } from "./text.js";

export class Table {
  /** @param {HTMLElement} host @param {(legal: Legal, view: View) => void} chosen */
  constructor(host, chosen) {
    /** @type {View | null} */
    this.view = null;
    /** Aborted when another position is asked for. */
    this.visit = new AbortController();
    this.board = new Board(host, {
      dropped: tick,
      chosen: ({ house }) => {
        const legal = this.view?.legal.find(({ move }) => move === String(house));
        if (this.view && legal) chosen(legal, this.view);
      },
    });
  }

  /**
   * Shows a position; null if another was asked for meanwhile.
   *
   * @param {Query} query
   * @param {{ animate?: boolean, open?: boolean }} [how] `open`: houses can be chosen
   * @returns {Promise<View | null>}
   */
  async show(query, { animate = false, open = true } = {}) {
    this.visit.abort();
    this.visit = new AbortController();
    const { signal } = this.visit;
    this.board.set({ choices: [] });
    const view = await position(query, signal).catch((fault) => {
      if (!signal.aborted) throw fault;
      return null;
    });
    if (!view || signal.aborted) return null;
    this.view = view;
    this.board.set({ marks: new Map(), arrows: [], mover: view.to_move, landed: null, origin: null });
    if (animate && view.motions?.length) await this.board.animate(view.motions, stepTime(view.motions.length));
    if (signal.aborted) return null;
    this.board.set({ seeds: swept(view), ...ends(view), choices: open ? choices(view) : [] });
    return view;
  }

  /** @param {string} move */
  refuse(move) {
    if (this.view?.to_move) this.board.refuse({ side: this.view.to_move, house: Number(move) });
  }

  destroy() {
    this.visit.abort();
    this.board.destroy();
  }
}
