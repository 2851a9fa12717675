// The dialog that takes what somebody pastes.

import { explained } from "./backend.js";
import { find } from "./dom.js";

export class Importer {
  /** @param {(text: string) => Promise<void>} apply throws what is wrong with a text */
  constructor(apply) {
    this.dialog = find("importer", HTMLDialogElement);
    this.text = find("importer-text", HTMLTextAreaElement);
    this.fault = find("importer-fault", HTMLElement);
    find("importer-apply", HTMLElement).addEventListener("click", async () => {
      try {
        await apply(this.text.value);
        this.dialog.close();
      } catch (fault) {
        this.fault.textContent = explained(fault);
        this.fault.hidden = false;
      }
    });
  }

  open() {
    this.fault.hidden = true;
    this.text.value = "";
    this.dialog.showModal();
  }
}
