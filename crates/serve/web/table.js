// A board with a game on it, for pages that pose a task: it shows a position, plays the motions of its last move and tells
// which legal move was chosen.

import { position } from "./backend.js";
import { Board } from "./board.js";
import { ends } from "./ends.js";
import { stepTime } from "./settings.js";
import { tick } from "./sound.js";
import { count, landing, swept, title } from "./words.js";

/** @typedef {import("./backend.js").Query} Query */
/** @typedef {import("./backend.js").View} View */
/** @typedef {import("./backend.js").Legal} Legal */

export class Table {
  /** @param {HTMLElement} host @param {(legal: Legal, view: View) => void} chosen */
  constructor(host, chosen) {
    /** @type {View | null} */
    this.view = null;
    this.visit = 0;
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
    this.visit += 1;
    const { visit } = this;
    this.board.set({ choices: [] });
    const view = await position(query);
    if (visit !== this.visit) return null;
    this.view = view;
    this.board.set({ marks: new Map(), arrows: [], mover: view.to_move, landed: null, origin: null });
    if (animate && view.motions?.length) await this.board.animate(view.motions, stepTime(view.motions.length));
    if (visit !== this.visit) return null;
    this.board.set({ seeds: swept(view), ...ends(view), choices: open ? choices(view) : [] });
    return view;
  }

  /** @param {string} move */
  refuse(move) {
    if (this.view?.to_move) this.board.refuse({ side: this.view.to_move, house: Number(move) });
  }

  destroy() {
    this.visit += 1;
    this.board.destroy();
  }
}

/** Every house that can be sown. @param {View} view @returns {import("./board.js").Choice[]} */
function choices(view) {
  const side = view.to_move;
  if (!side) return [];
  return view.legal.flatMap((legal) => {
    if (!legal.lands) return [];
    const house = Number(legal.move);
    const label = [`${title(side)} house ${house}`, count(view.board[side].houses[house - 1], "seed"), landing(legal, side)].join(", ");
    return [{ pit: { side, house }, label, lands: legal.lands }];
  });
}
