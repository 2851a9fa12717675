// The dialog in which a position is set up.

/** @import { Seeds, Side } from "../types.js" */
/** `start` as the side that is to move sees it. @typedef {{ start: string, free: boolean, first: Side }} Setup */

import { explained } from "../backend.js";
import { find, make } from "../dom.js";
import { count } from "../text.js";

/** The seeds of a position in text form, mover's row and store, then the other's. Null if it is none.
 * @param {string} text @param {number} houses @returns {number[] | null} */
export function numbers(text, houses) {
  const rows = text
    .replace(/[()\s]/g, "")
    .split("|")
    .map((row) => row.split(","));
  if (rows.length !== 2 || rows.some((row) => row.length !== houses + 1)) return null;
  const all = rows.flat();
  return all.every((one) => /^\d{1,15}$/.test(one)) ? all.map(Number) : null;
}

/** @param {number[]} numbers */
export function text(numbers) {
  const half = numbers.length / 2;
  return `${numbers.slice(0, half).join(",")}|${numbers.slice(half).join(",")}`;
}

/** South's seeds first, or the mover's first; the same either way. @param {number[]} numbers @param {Side} first */
export function turned(numbers, first) {
  const half = numbers.length / 2;
  return first === "south" ? numbers : [...numbers.slice(half), ...numbers.slice(0, half)];
}

/** @param {number} total @param {number} wanted */
export function tally(total, wanted) {
  if (total === wanted) return `${count(total, "seed")}, as it should be.`;
  const off = Math.abs(total - wanted);
  return `${total} of ${count(wanted, "seed")}: ${off} too ${total < wanted ? "few" : "many"}.`;
}

const MARKUP = `
<form method="dialog">
  <h2 id="editor-title">Edit the position</h2>
  <div id="editor-board" class="editor-board"></div>
  <p id="editor-total" class="total" role="status"></p>
  <fieldset class="inline">
    <legend>To move</legend>
    <label class="check"><input type="radio" name="editor-first" value="south" /> South</label>
    <label class="check"><input type="radio" name="editor-first" value="north" /> North</label>
  </fieldset>
  <label class="check"><input type="checkbox" id="editor-free" /> Allow any number of seeds</label>
  <label class="wide">As text, the side to move first <input type="text" id="editor-text" spellcheck="false" autocomplete="off" /></label>
  <p id="editor-fault" class="fault" role="alert" hidden></p>
  <div class="row end">
    <button type="button" id="editor-clear">Clear</button>
    <button type="submit" value="cancel" formnovalidate>Cancel</button>
    <button type="button" id="editor-apply" class="main">Set up</button>
  </div>
</form>
`;

export class Editor {
  /** @param {HTMLDialogElement} dialog @param {(setup: Setup) => Promise<void>} apply rejects a bad position with its fault */
  constructor(dialog, apply) {
    this.apply = apply;
    this.dialog = dialog;
    dialog.innerHTML = MARKUP;
    this.host = find(this.dialog, "#editor-board");
    this.text = find(this.dialog, "#editor-text", HTMLInputElement);
    this.free = find(this.dialog, "#editor-free", HTMLInputElement);
    this.button = find(this.dialog, "#editor-apply", HTMLButtonElement);
    this.houses = 0;
    this.wanted = 0;
    /** @type {HTMLInputElement[]} */
    this.fields = [];
    /** @type {HTMLInputElement[]} */
    this.firsts = [...this.dialog.querySelectorAll("input")].filter(({ name }) => name === "editor-first");
    const write = () => {
      this.text.value = text(
        turned(
          this.fields.map(({ valueAsNumber }) => valueAsNumber || 0),
          this.first,
        ),
      );
      this.update();
    };
    this.host.addEventListener("input", write);
    // The seeds stay where they are; the side to move is written first.
    for (const one of this.firsts) one.addEventListener("input", write);
    this.text.addEventListener("input", () => {
      const parsed = numbers(this.text.value, this.houses);
      if (parsed) this.put(turned(parsed, this.first));
      this.update();
    });
    this.free.addEventListener("input", () => this.update());
    find(this.dialog, "#editor-clear").addEventListener("click", () => this.fill(this.fields.map(() => 0)));
    this.button.addEventListener("click", () => this.submit());
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      if (!this.button.disabled) this.submit();
    });
  }

  /** The side to move. @returns {Side} */
  get first() {
    return this.firsts.some(({ value, checked }) => checked && value === "north") ? "north" : "south";
  }

  /** @param {Seeds} board @param {Side} mover @param {number} wanted @param {boolean} free */
  open(board, mover, wanted, free) {
    const houses = board.south.houses.length;
    for (const one of this.firsts) one.checked = one.value === mover;
    this.houses = houses;
    this.wanted = wanted;
    this.free.checked = free;
    const names = ["South", "North"].flatMap((side) =>
      Array.from({ length: houses + 1 }, (_, i) => (i < houses ? `${side} house ${i + 1}` : `${side} store`)),
    );
    this.fields = names.map((name) =>
      make("input", { type: "number", min: 0, inputmode: "numeric", "aria-label": name }),
    );
    const labels = this.fields.map((field, i) => {
      const [near, slot] = [i <= houses, i % (houses + 1)];
      const label = make("label", {}, slot < houses ? String(slot + 1) : near ? "South" : "North", field);
      label.style.gridRow = slot === houses ? "1 / 3" : near ? "2" : "1";
      label.style.gridColumn = String(near ? slot + 2 : houses + 1 - slot);
      label.style.alignSelf = "center";
      return label;
    });
    this.host.replaceChildren(...labels);
    this.fill([board.south, board.north].flatMap(({ houses, store }) => [...houses, store]));
    this.dialog.showModal();
  }

  /** @param {number[]} numbers South's first */
  fill(numbers) {
    this.put(numbers);
    this.text.value = text(turned(numbers, this.first));
    this.update();
  }

  /** @param {number[]} numbers South's first */
  put(numbers) {
    this.fields.forEach((field, i) => {
      field.value = String(numbers[i]);
    });
  }

  update() {
    const parsed = numbers(this.text.value, this.houses);
    // Other notations are the server's to read.
    const total = parsed?.reduce((sum, one) => sum + one, 0);
    const wrong = total !== undefined && total !== this.wanted;
    const note = find(this.dialog, "#editor-total");
    note.textContent = total === undefined ? "" : tally(total, this.wanted);
    note.classList.toggle("wrong", wrong && !this.free.checked);
    this.button.disabled = wrong && !this.free.checked;
    find(this.dialog, "#editor-fault").hidden = true;
  }

  async submit() {
    try {
      await this.apply({ start: this.text.value.trim(), free: this.free.checked, first: this.first });
      this.dialog.close();
    } catch (fault) {
      const note = find(this.dialog, "#editor-fault");
      note.textContent = explained(fault);
      note.hidden = false;
    }
  }
}
