// The board for a room: full screen, large type, values hidden until they are asked for, a code for telephones.

import { find } from "./dom.js";
import { showCode } from "./share.js";

/** @typedef {import("./app.js").App} App */

export class Classroom {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tools = find("class-tools", HTMLElement);
    this.reveal = find("reveal", HTMLButtonElement);
    this.code = find("class-code", HTMLButtonElement);
    this.picture = find("class-qr", HTMLImageElement);
    this.reveal.addEventListener("click", () => this.show(!app.showValues));
    this.code.addEventListener("click", () => this.showCode(this.code.getAttribute("aria-expanded") !== "true"));
    find("class-end", HTMLElement).addEventListener("click", () => this.leave());
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement) this.leave();
    });
  }

  async enter() {
    document.body.classList.add("classroom");
    this.tools.hidden = false;
    this.show(false);
    this.showCode(false);
    // Where a browser has no full screen, large type is what there is.
    await document.documentElement.requestFullscreen?.().catch(() => {});
  }

  async leave() {
    document.body.classList.remove("classroom");
    this.tools.hidden = true;
    if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
  }

  /** @param {boolean} on */
  show(on) {
    this.app.setValues(on);
    this.reveal.textContent = on ? "Hide the values" : "Show the values";
  }

  /** @param {boolean} on */
  async showCode(on) {
    this.code.setAttribute("aria-expanded", String(on));
    if (on) await showCode(this.picture, location.href);
    else this.picture.hidden = true;
  }
}
