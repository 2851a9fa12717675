// A player beside the board: name, seeds, and whether it is their turn.

/** @import { State } from "../types.js" */

import { playerOf } from "../state.js";
import { other, player, title } from "../text.js";
import { HUMAN } from "../url.js";
import { Panel } from "./panel.js";

export class SeatPanel extends Panel {
  mount() {
    this.watch(["view", "flip", "south", "north"], (state) => this.draw(state));
  }

  /** @param {State} state */
  draw(state) {
    const { view, flip, south, north } = state;
    if (!view) return;
    // Whose seat it is while the board is not turned.
    const own = this.root.dataset.row === "north" ? "north" : "south";
    const row = flip ? other(own) : own;
    const alone = south === HUMAN && north === HUMAN;
    this.find("span").textContent =
      `${title(row)}${alone ? "" : ` \u2013 ${player(playerOf(state, row, view.swapped))}`}`;
    this.find("b").textContent = String(view.result ? view.result.seeds[row] : view.board[row].store);
    this.root.className = `seat ${row}${view.to_move === row ? " on" : ""}`;
  }
}
