// The page as a whole: its title, and the classes of its body that the style sheet goes by.

import { game } from "../text.js";
import { Panel } from "./panel.js";

export class PagePanel extends Panel {
  mount() {
    const { root } = this;
    const { classList, ownerDocument } = root;
    this.watch(["preferences"], ({ preferences }) => classList.toggle("without-values", !preferences.values));
    this.watch(["closed"], ({ closed }) => classList.toggle("closed", closed));
    this.watch(["view"], ({ view }) => {
      if (!view) return;
      ownerDocument.title = `${game(view.game)} \u2013 Sowing`;
      classList.toggle("many", view.board.south.houses.length > 8);
    });
    // Not a link: the address is the game.
    this.listen(this.find("#skip"), "click", () => this.find("#board").focus());
  }
}
