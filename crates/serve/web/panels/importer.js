// The dialog that takes a pasted game or position.

import { explained } from "../backend.js";
import { find } from "../dom.js";

const MARKUP = `
<form method="dialog">
  <h2 id="importer-title">Import a game</h2>
  <p class="hint">A record, a position, a literal of the Kalah Game Protocol, or a link to this page.</p>
  <label class="wide">Paste it here <textarea id="importer-text" rows="6" spellcheck="false"></textarea></label>
  <p id="importer-fault" class="fault" role="alert" hidden></p>
  <div class="row end">
    <button type="submit" value="cancel" formnovalidate>Cancel</button>
    <button type="button" id="importer-apply" class="main">Open</button>
  </div>
</form>
`;

export class Importer {
  /** @param {HTMLDialogElement} dialog @param {(text: string) => Promise<void>} apply rejects a bad text with its fault */
  constructor(dialog, apply) {
    this.dialog = dialog;
    dialog.innerHTML = MARKUP;
    this.text = find(dialog, "#importer-text", HTMLTextAreaElement);
    this.fault = find(dialog, "#importer-fault");
    find(dialog, "#importer-apply").addEventListener("click", async () => {
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
