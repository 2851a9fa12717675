// The buttons below the board.

/** @import { State } from "../types.js" */

import { Panel } from "./panel.js";

export class ToolbarPanel extends Panel {
  mount() {
    const { store } = this;
    const node = () => store.state.node;
    this.clicks({
      "#first": () => ({ type: "go", node: node().line[0] }),
      "#back": () => ({ type: "go", node: node().parent }),
      "#forward": () => ({ type: "go", node: node().children[0], animate: true }),
      "#last": () => ({ type: "go", node: node().line.at(-1) }),
      "#undo": () => ({ type: "undo" }),
      "#play-best": () => ({ type: "best" }),
      "#swap": () => ({ type: "play", move: "swap" }),
      "#share": () => ({ type: "show", part: "sharer" }),
      "#rematch": () => ({ type: "rematch" }),
      "#new": () => ({ type: "show", part: "picker" }),
    });
    this.watch(["view", "node", "edits", "practice", "closed"], (state) => this.draw(state));
  }

  /** @param {State} state */
  draw({ view, shown, node, practice, closed }) {
    if (!closed && (!view || shown !== node)) return;
    const over = !view?.to_move && !practice;
    this.find("#swap").hidden = !view?.legal.some(({ move }) => move === "swap");
    this.find("#rematch").hidden = closed || !over;
    this.find("#new").classList.toggle("main", closed || !over);
    this.disable(closed || node.moves.length === 0, "#first", "#back", "#undo");
    this.disable(closed || node.children.length === 0, "#forward", "#last");
    this.disable(!view?.to_move || practice !== null, "#play-best");
    this.disable(closed, "#share");
  }

  /** @param {boolean} disabled @param {string[]} selectors */
  disable(disabled, ...selectors) {
    for (const selector of selectors) this.find(selector, HTMLButtonElement).disabled = disabled;
  }
}
