// The board for a room: full screen, large type, values hidden until they are asked for, a code for telephones.

/** @import { GameStore } from "../types.js" */

import { Panel } from "./panel.js";
import { showCode } from "./share.js";

export class ClassroomPanel extends Panel {
  /** @param {HTMLElement} root @param {GameStore} store */
  constructor(root, store) {
    super(root, store);
    this.document = root.ownerDocument;
    this.code = this.find("#class-code");
    const reveal = this.find("#reveal");
    this.watch(["preferences"], ({ preferences }) => {
      reveal.textContent = preferences.values ? "Hide the values" : "Show the values";
    });
    this.clicks({ "#reveal": () => ({ type: "prefer", name: "values", on: !store.state.preferences.values }) });
    this.listen(this.code, "click", () => this.showCode(this.code.getAttribute("aria-expanded") !== "true"));
    this.listen(this.find("#class-end"), "click", () => this.leave());
    this.listen(this.document, "fullscreenchange", () => {
      if (!this.document.fullscreenElement) this.leave();
    });
  }

  async enter() {
    this.document.body.classList.add("classroom");
    this.root.hidden = false;
    this.dispatch({ type: "prefer", name: "values", on: false });
    this.showCode(false);
    // Where a browser has no full screen, large type is what there is.
    await this.document.documentElement.requestFullscreen?.().catch(() => {});
  }

  async leave() {
    this.document.body.classList.remove("classroom");
    this.root.hidden = true;
    if (this.document.fullscreenElement) await this.document.exitFullscreen().catch(() => {});
  }

  /** @param {boolean} on */
  async showCode(on) {
    const picture = this.find("#class-qr", HTMLImageElement);
    this.code.setAttribute("aria-expanded", String(on));
    if (on) await showCode(picture, location.href);
    else picture.hidden = true;
  }
}
