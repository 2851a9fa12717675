// The bar at the top: which game this is, another one, and help.

import { game } from "../text.js";
import { Panel } from "./panel.js";

export class HeaderPanel extends Panel {
  mount() {
    const name = this.find("#game");
    this.watch(["view"], ({ view }) => {
      if (view) name.textContent = game(view.game);
    });
    this.clicks({ "#game": () => ({ type: "show", part: "picker" }), "#help": () => ({ type: "show", part: "help" }) });
    this.listen(this.find("#brand"), "click", (event) => {
      event.preventDefault();
      this.dispatch({ type: "show", part: "picker" });
    });
  }
}
