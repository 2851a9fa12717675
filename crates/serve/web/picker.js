// The dialog that starts a new game.

import { find, make } from "./dom.js";
import { compose, parse } from "./game.js";
import { HUMAN } from "./url.js";

/** @typedef {import("./backend.js").Games} Games */
/** @typedef {{ game: string, start: string | null, south: string, north: string }} Choice */
/** @typedef {{ rules: (game: string) => Promise<string[]>, fair: (game: string, number: number) => Promise<import("./backend.js").FairStart> }} Ask */

export class Picker {
  /** @param {Games} games @param {Ask} ask @param {(choice: Choice) => void} start */
  constructor(games, ask, start) {
    this.games = games;
    this.ask = ask;
    this.dialog = find("picker", HTMLDialogElement);
    this.houses = find("picker-houses", HTMLInputElement);
    this.seeds = find("picker-seeds", HTMLInputElement);
    this.opponent = find("picker-opponent", HTMLSelectElement);
    this.side = find("picker-side", HTMLSelectElement);
    this.south = find("picker-south", HTMLSelectElement);
    this.north = find("picker-north", HTMLSelectElement);
    this.fair = find("picker-fair", HTMLButtonElement);
    /** Whose rules are shown. */
    this.told = "";
    const [least, most] = games.limits.houses;
    this.houses.min = String(least);
    this.houses.max = String(most);
    this.seeds.max = String(games.limits.seeds[1]);
    const kinds = games.games.map(({ name, title, about }) => choice("radio", "game", name, title, about));
    find("picker-games", HTMLElement).replaceChildren(...kinds);
    const options = games.options.map(({ name, title, about }) => choice("checkbox", "option", name, title, about));
    find("picker-options", HTMLElement).replaceChildren(...options);
    for (const select of [this.opponent, this.south, this.north]) {
      select.replaceChildren(...games.opponents.map(({ name, title }) => make("option", { value: name }, title)));
    }
    this.dialog.addEventListener("input", () => this.update());
    this.dialog.addEventListener("close", async () => {
      const { returnValue } = this.dialog;
      if (returnValue !== "start" && returnValue !== "fair") return;
      const game = this.name;
      const found = returnValue === "fair" ? await ask.fair(game, Math.floor(Math.random() * 1e6)) : null;
      start({ game, start: found?.start ?? null, ...this.players });
    });
  }

  /** @param {{ game: string, south: string, north: string }} now */
  open({ game, south, north }) {
    const parts = parse(game) ?? { name: "kalah", houses: 6, seeds: 4, options: [] };
    // Playing the computer is what most people come for.
    const people = south === HUMAN && north === HUMAN;
    const mode = south !== HUMAN && north !== HUMAN ? "watch" : "computer";
    for (const box of this.boxes()) box.checked = [parts.name, mode, ...parts.options].includes(box.value);
    this.houses.value = String(parts.houses);
    this.seeds.value = String(parts.seeds);
    this.opponent.value = people ? "level:3" : south === HUMAN ? north : south;
    this.side.value = people || south === HUMAN ? "south" : "north";
    this.south.value = south === HUMAN ? "level:5" : south;
    this.north.value = north === HUMAN ? "level:5" : north;
    this.update();
    this.dialog.returnValue = "";
    this.dialog.showModal();
  }

  boxes() {
    return [...this.dialog.querySelectorAll("input")].filter(({ type }) => type === "radio" || type === "checkbox");
  }

  /** @param {string} group */
  radio(group) {
    return this.boxes().find(({ name, checked }) => name === group && checked)?.value ?? "";
  }

  get options() {
    return this.boxes().filter(({ name, checked }) => name === "option" && checked).map(({ value }) => value);
  }

  get name() {
    const kind = this.radio("game") || "kalah";
    return compose({ name: kind, houses: this.houses.valueAsNumber, seeds: this.seeds.valueAsNumber, options: this.options });
  }

  get players() {
    const mode = this.radio("mode");
    if (mode === "people") return { south: HUMAN, north: HUMAN };
    if (mode === "watch") return { south: this.south.value, north: this.north.value };
    const begins = this.side.value === "south";
    return { south: begins ? HUMAN : this.opponent.value, north: begins ? this.opponent.value : HUMAN };
  }

  /** Closes what cannot go together, and says what is chosen. */
  update() {
    const kind = this.radio("game");
    for (const box of this.boxes().filter(({ name }) => name === "option")) {
      const excludes = this.games.options.find(({ name }) => name === box.value)?.excludes ?? [];
      // A game that is a name for some options has settled these.
      if (excludes.includes(kind)) box.checked = false;
      box.disabled = excludes.includes(kind) || this.options.some((one) => excludes.includes(one));
    }
    const mode = this.radio("mode");
    find("picker-computer", HTMLElement).hidden = mode !== "computer";
    find("picker-both", HTMLElement).hidden = mode !== "watch";
    const { south, north } = this.players;
    const about = [south, north].flatMap((one) =>
      this.games.opponents.filter(({ name }) => name === one).map(({ title, about }) => `${title}: ${about}`),
    );
    find("picker-about", HTMLElement).textContent = [...new Set(about)].join(" ") || "Both sides are yours, and every value is shown.";
    this.tell();
  }

  /** The rules in words, and whether a fair start is known. */
  async tell() {
    const { name } = this;
    if (name === this.told || name.includes("NaN")) return;
    this.told = name;
    this.dialog.dataset.game = name;
    const [rules, fair] = await Promise.all([this.ask.rules(name).catch(() => []), this.ask.fair(name, 0).catch(() => null)]);
    if (name !== this.told) return;
    this.fair.disabled = !fair?.start;
    find("picker-rules", HTMLElement).replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  }
}

/** @param {string} type @param {string} group @param {string} value @param {string} title @param {string} about */
function choice(type, group, value, title, about) {
  return make("label", {}, make("input", { type, name: group, value }), make("span", {}, title), make("small", {}, about));
}
