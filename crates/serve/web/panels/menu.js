// The menu "More": rarer actions, speed and sounds.

import { keep, pace } from "../settings.js";
import { keepSounds, sounds } from "../sound.js";
import { Panel } from "./panel.js";

export class MenuPanel extends Panel {
  mount() {
    const { root } = this;
    this.clicks({
      "#flip": () => ({ type: "flip" }),
      "#edit": () => ({ type: "show", part: "editor" }),
      "#import": () => ({ type: "show", part: "importer" }),
      "#classroom": () => ({ type: "show", part: "classroom" }),
    });
    for (const button of root.querySelectorAll("button")) this.listen(button, "click", () => root.hidePopover());
    const speed = this.find("#pace", HTMLSelectElement);
    speed.value = pace();
    this.listen(speed, "input", () => keep("pace", speed.value));
    const sound = this.find("#sounds", HTMLInputElement);
    sound.checked = sounds();
    this.listen(sound, "input", () => keepSounds(sound.checked));
    this.watch(["closed"], ({ closed }) => {
      for (const selector of ["#flip", "#edit", "#classroom"]) this.find(selector, HTMLButtonElement).disabled = closed;
    });
  }
}
