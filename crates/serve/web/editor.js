// The dialog in which a position is set up.

import { explained } from "./backend.js";
import { find, make } from "./dom.js";
import { count } from "./words.js";

/** @typedef {import("./backend.js").Side} Side */
/** `start` as the side that is to move sees it. @typedef {{ start: string, free: boolean, first: Side }} Setup */

/** The seeds of a position in text form, mover's row and store, then the other's. Null if it is none.
 * @param {string} text @param {number} houses @returns {number[] | null} */
export function numbers(text, houses) {
  const rows = text.replace(/[()\s]/g, "").split("|").map((row) => row.split(","));
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

export class Editor {
  /** @param {(setup: Setup) => Promise<void>} apply throws what is wrong with a position */
  constructor(apply) {
    this.apply = apply;
    this.dialog = find("editor", HTMLDialogElement);
    this.host = find("editor-board", HTMLElement);
    this.text = find("editor-text", HTMLInputElement);
    this.free = find("editor-free", HTMLInputElement);
    this.button = find("editor-apply", HTMLButtonElement);
    this.houses = 0;
    this.wanted = 0;
    /** @type {HTMLInputElement[]} */
    this.fields = [];
    /** @type {HTMLInputElement[]} */
    this.firsts = [...this.dialog.querySelectorAll("input")].filter(({ name }) => name === "editor-first");
    const write = () => {
      this.text.value = text(turned(this.fields.map(({ valueAsNumber }) => valueAsNumber || 0), this.first));
      this.update();
    };
    this.host.addEventListener("input", write);
    // The seeds stay where they are; who is to move sees them from another side.
    for (const one of this.firsts) one.addEventListener("input", write);
    this.text.addEventListener("input", () => {
      const parsed = numbers(this.text.value, this.houses);
      if (parsed) turned(parsed, this.first).forEach((seeds, i) => (this.fields[i].value = String(seeds)));
      this.update();
    });
    this.free.addEventListener("input", () => this.update());
    find("editor-clear", HTMLElement).addEventListener("click", () => this.fill(this.fields.map(() => 0)));
    this.button.addEventListener("click", () => this.submit());
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      if (!this.button.disabled) this.submit();
    });
  }

  /** Who is to move. @returns {Side} */
  get first() {
    return this.firsts.some(({ value, checked }) => checked && value === "north") ? "north" : "south";
  }

  /** @param {import("./backend.js").Seeds} board @param {Side} mover @param {number} wanted @param {boolean} free */
  open(board, mover, wanted, free) {
    const houses = board.south.houses.length;
    for (const one of this.firsts) one.checked = one.value === mover;
    this.houses = houses;
    this.wanted = wanted;
    this.free.checked = free;
    const names = ["South", "North"].flatMap((side) =>
      Array.from({ length: houses + 1 }, (_, i) => (i < houses ? `${side} house ${i + 1}` : `${side} store`)),
    );
    this.fields = names.map((name) => make("input", { type: "number", min: 0, inputmode: "numeric", "aria-label": name }));
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
    this.fields.forEach((field, i) => (field.value = String(numbers[i])));
    this.text.value = text(turned(numbers, this.first));
    this.update();
  }

  update() {
    const parsed = numbers(this.text.value, this.houses);
    // Other notations are the server's to read.
    const total = parsed?.reduce((sum, one) => sum + one, 0);
    const wrong = total !== undefined && total !== this.wanted;
    const note = find("editor-total", HTMLElement);
    note.textContent = total === undefined ? "" : tally(total, this.wanted);
    note.classList.toggle("wrong", wrong && !this.free.checked);
    this.button.disabled = wrong && !this.free.checked;
    find("editor-fault", HTMLElement).hidden = true;
  }

  async submit() {
    try {
      await this.apply({ start: this.text.value.trim(), free: this.free.checked, first: this.first });
      this.dialog.close();
    } catch (fault) {
      const note = find("editor-fault", HTMLElement);
      note.textContent = explained(fault);
      note.hidden = false;
    }
  }
}
