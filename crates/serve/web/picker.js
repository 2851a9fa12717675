// The dialog that starts a new game.

import { find, make } from "./dom.js";
import { compose, parse } from "./game.js";
import { HUMAN } from "./url.js";

/** @typedef {import("./api.js").Games} Games */
/** @typedef {{ game: string, south: string, north: string }} Choice */

export class Picker {
  /** @param {Games} games @param {(choice: Choice) => void} start */
  constructor(games, start) {
    this.games = games;
    this.dialog = find("picker", HTMLDialogElement);
    this.houses = find("picker-houses", HTMLInputElement);
    this.seeds = find("picker-seeds", HTMLInputElement);
    this.south = find("picker-south", HTMLSelectElement);
    this.north = find("picker-north", HTMLSelectElement);
    const [least, most] = games.limits.houses;
    this.houses.min = String(least);
    this.houses.max = String(most);
    this.seeds.max = String(games.limits.seeds[1]);
    const kinds = games.games.map(({ name, title, about }) => choice("radio", "game", name, title, about));
    find("picker-games", HTMLElement).replaceChildren(...kinds);
    const options = games.options.map(({ name, about }) => choice("checkbox", "option", name, name, about));
    find("picker-options", HTMLElement).replaceChildren(...options);
    for (const select of [this.south, this.north]) {
      const players = [{ name: HUMAN, title: "you" }, ...games.opponents].map(({ name, title }) => make("option", { value: name }, title));
      select.replaceChildren(...players);
    }
    this.dialog.addEventListener("input", () => this.update());
    this.dialog.addEventListener("close", () => {
      if (this.dialog.returnValue === "start") start({ game: this.name, south: this.south.value, north: this.north.value });
    });
  }

  /** @param {Choice} now */
  open({ game, south, north }) {
    const parts = parse(game) ?? { name: "kalah", houses: 6, seeds: 4, options: [] };
    for (const box of this.boxes()) box.checked = box.value === parts.name || parts.options.includes(box.value);
    this.houses.value = String(parts.houses);
    this.seeds.value = String(parts.seeds);
    this.south.value = south;
    this.north.value = north;
    this.update();
    this.dialog.returnValue = "";
    this.dialog.showModal();
  }

  boxes() {
    return [...this.dialog.querySelectorAll("input")].filter(({ type }) => type === "radio" || type === "checkbox");
  }

  get options() {
    return this.boxes().filter(({ type, checked }) => type === "checkbox" && checked).map(({ value }) => value);
  }

  get name() {
    const kind = this.boxes().find(({ type, checked }) => type === "radio" && checked)?.value ?? "kalah";
    return compose({ name: kind, houses: this.houses.valueAsNumber, seeds: this.seeds.valueAsNumber, options: this.options });
  }

  /** Closes what cannot go together, and says what is chosen. */
  update() {
    const kind = this.boxes().find(({ type, checked }) => type === "radio" && checked)?.value ?? "";
    for (const box of this.boxes().filter(({ type }) => type === "checkbox")) {
      const excludes = this.games.options.find(({ name }) => name === box.value)?.excludes ?? [];
      // A game that is a name for some options has settled these.
      if (excludes.includes(kind)) box.checked = false;
      box.disabled = excludes.includes(kind) || this.options.some((one) => excludes.includes(one));
    }
    find("picker-name", HTMLElement).textContent = this.name;
    const about = [this.south.value, this.north.value].flatMap((one) =>
      this.games.opponents.filter(({ name }) => name === one).map(({ title, about }) => `${title}: ${about}`),
    );
    find("picker-about", HTMLElement).textContent = [...new Set(about)].join(" ") || "Two people at one board.";
  }
}

/** @param {string} type @param {string} group @param {string} value @param {string} title @param {string} about */
function choice(type, group, value, title, about) {
  return make("label", {}, make("input", { type, name: group, value }), make("span", {}, title), make("small", {}, about));
}
