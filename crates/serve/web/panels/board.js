// The board of the analysis page: shows the state on the board widget, and animates the moves that arrive.

/** @import { Pit } from "../board/board.js" */
/** @import { Action, GameStore, State } from "../types.js" */

import { Board } from "../board/board.js";
import { choices } from "../choices.js";
import { ends } from "../ends.js";
import { stepTime } from "../settings.js";
import { tick } from "../sound.js";
import { machineOf } from "../state.js";
import { landing, outcome, summary, swept } from "../text.js";
import { marks } from "../values.js";
import { Panel } from "./panel.js";

export class BoardPanel extends Panel {
  /** @param {HTMLElement} root @param {GameStore} store */
  constructor(root, store) {
    super(root, store);
    this.board = new Board(root, {
      chosen: (pit) => this.dispatch({ type: "play", move: String(pit.house) }),
      aimed: (pit) => this.hint(pit),
      dropped: tick,
    });
    store.subscribe((_, action) => void this.hear(action), this.life.signal);
    this.watch(["flip"], ({ flip }) => this.board.set({ flip }));
    this.watch(["known", "view", "preferences"], (state) => this.mark(state));
    this.watch(["arrows"], ({ arrows }) => this.board.set({ arrows }));
    this.watch(["settled", "view", "known", "preferences", "practice"], (state) => this.offer(state));
  }

  destroy() {
    super.destroy();
    this.board.destroy();
  }

  /** @param {Action} action */
  async hear(action) {
    if (action.type === "going") this.board.hurry();
    if (action.type === "arrived") await this.arrive(action);
    if (action.type === "refused") this.refuse(action.move);
  }

  /** @param {Extract<Action, { type: "arrived" }>} arrival */
  async arrive({ view, animate, signal }) {
    this.board.set({ landed: null, origin: null, mover: view.to_move });
    if (animate && view.motions?.length) {
      const seeds = await this.board.animate(view.motions, stepTime(view.motions.length));
      if (seeds && !this.board.holds(view.board)) console.error("the motions of a move do not lead to its board");
    }
    if (signal.aborted || this.life.signal.aborted) return;
    this.board.set({ seeds: swept(view), ...ends(view) });
    this.dispatch({ type: "settled" });
  }

  /** @param {State} state */
  mark({ known, view, preferences }) {
    const side = view?.to_move;
    this.board.set({ marks: known && side && preferences.values ? marks(known, side) : new Map() });
  }

  /** Opens the houses that can be sown, labelled with their values where they are proven. @param {State} state */
  offer(state) {
    const { view, settled, known, preferences } = state;
    if (!view || !settled || machineOf(state)) return this.board.set({ choices: [] });
    const worth = (/** @type {string} */ move) => {
      const value =
        preferences.values && known?.status === "done" ? known.moves.find((one) => one.move === move)?.value : null;
      return typeof value === "number" ? [outcome(value)] : [];
    };
    this.board.set({ choices: choices(view, worth) });
  }

  /** @param {Pit | null} pit */
  hint(pit) {
    const { view } = this.store.state;
    if (!view?.to_move) return;
    const legal = view.legal.find(({ move }) => move === String(pit?.house));
    const text = legal ? `House ${legal.move}: ${landing(legal, view.to_move)}.` : summary(view);
    this.dispatch({ type: "status", text });
  }

  /** @param {string} move */
  refuse(move) {
    const side = this.store.state.view?.to_move;
    if (side && move !== "swap") this.board.refuse({ side, house: Number(move) });
  }
}
