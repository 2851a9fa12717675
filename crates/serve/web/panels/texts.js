// Parts of the page that show a text of the state and nothing else.

import { make } from "../dom.js";
import { board } from "../text.js";
import { Panel } from "./panel.js";

/** The line below the board. */
export class StatusPanel extends Panel {
  mount() {
    const { root } = this;
    this.watch(["status"], ({ status }) => (root.textContent = status));
  }
}

/** The last fault. */
export class FaultPanel extends Panel {
  mount() {
    const { root } = this;
    this.watch(["fault"], ({ fault }) => {
      root.hidden = fault === null;
      root.textContent = fault;
    });
  }
}

/** The live region for screen readers. */
export class AnnouncerPanel extends Panel {
  mount() {
    const { root } = this;
    this.watch(["announcement"], ({ announcement }) => (root.textContent = announcement));
  }
}

/** The board for screen readers. */
export class BoardTextPanel extends Panel {
  mount() {
    const { root } = this;
    this.watch(["view"], ({ view }) => {
      if (view) root.replaceChildren(...board(view).map((line) => make("p", {}, line)));
    });
  }
}
