// The dialog that starts a new game.

/** @import { FairStart, Games } from "../types.js" */
/** @typedef {{ game: string, start: string | null, south: string, north: string }} Choice */
/** @typedef {{ rules: (game: string, signal: AbortSignal) => Promise<string[]>, fair: (game: string, number: number, signal?: AbortSignal) => Promise<FairStart> }} Ask */

import { find, make } from "../dom.js";
import { compose, parse } from "../game.js";
import { HUMAN } from "../url.js";

const MARKUP = `
<form method="dialog">
  <h2 id="picker-title">New game</h2>
  <fieldset>
    <legend>Who plays</legend>
    <div class="choices across">
      <label><input type="radio" name="mode" value="computer" /><span>Play the computer</span></label>
      <label><input type="radio" name="mode" value="people" /><span>Two people, or study</span></label>
      <label><input type="radio" name="mode" value="watch" /><span>Watch two computers</span></label>
    </div>
    <div class="row" id="picker-computer">
      <label>Strength <select id="picker-opponent"></select></label>
      <label>You <select id="picker-side"><option value="south">begin, as South</option><option value="north">come second, as North</option></select></label>
    </div>
    <div class="row" id="picker-both" hidden>
      <label>South <select id="picker-south"></select></label>
      <label>North <select id="picker-north"></select></label>
    </div>
    <p id="picker-about" class="hint"></p>
  </fieldset>
  <fieldset>
    <legend>Game</legend>
    <div id="picker-games" class="choices"></div>
    <div class="row">
      <label>Houses <input type="number" id="picker-houses" min="1" max="16" required /></label>
      <label>Seeds in each <input type="number" id="picker-seeds" min="1" required /></label>
    </div>
  </fieldset>
  <details>
    <summary>Change the rules</summary>
    <div id="picker-options" class="choices"></div>
  </details>
  <details>
    <summary>The rules of this game</summary>
    <ol id="picker-rules" class="rules"></ol>
  </details>
  <div class="row end">
    <button type="submit" value="cancel" formnovalidate>Cancel</button>
    <button type="submit" value="fair" id="picker-fair" title="A start that is a draw with perfect play">Fair start</button>
    <button type="submit" value="start" class="main">Start</button>
  </div>
</form>
`;

export class Picker {
  /** @param {HTMLDialogElement} dialog @param {Games} games @param {Ask} ask @param {(choice: Choice) => void} start */
  constructor(dialog, games, ask, start) {
    this.games = games;
    this.ask = ask;
    this.dialog = dialog;
    dialog.innerHTML = MARKUP;
    this.houses = find(this.dialog, "#picker-houses", HTMLInputElement);
    this.seeds = find(this.dialog, "#picker-seeds", HTMLInputElement);
    this.opponent = find(this.dialog, "#picker-opponent", HTMLSelectElement);
    this.side = find(this.dialog, "#picker-side", HTMLSelectElement);
    this.south = find(this.dialog, "#picker-south", HTMLSelectElement);
    this.north = find(this.dialog, "#picker-north", HTMLSelectElement);
    this.fair = find(this.dialog, "#picker-fair", HTMLButtonElement);
    /** Aborted when another game is chosen. */
    this.asking = new AbortController();
    const [least, most] = games.limits.houses;
    this.houses.min = String(least);
    this.houses.max = String(most);
    this.seeds.max = String(games.limits.seeds[1]);
    const kinds = games.games.map(({ name, title, about }) => choice("radio", "game", name, title, about));
    find(this.dialog, "#picker-games").replaceChildren(...kinds);
    const options = games.options.map(({ name, title, about }) => choice("checkbox", "option", name, title, about));
    find(this.dialog, "#picker-options").replaceChildren(...options);
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
    // Most people come to play the computer.
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
    return this.boxes()
      .filter(({ name, checked }) => name === "option" && checked)
      .map(({ value }) => value);
  }

  get name() {
    const kind = this.radio("game") || "kalah";
    return compose({
      name: kind,
      houses: this.houses.valueAsNumber,
      seeds: this.seeds.valueAsNumber,
      options: this.options,
    });
  }

  get players() {
    const mode = this.radio("mode");
    if (mode === "people") return { south: HUMAN, north: HUMAN };
    if (mode === "watch") return { south: this.south.value, north: this.north.value };
    const begins = this.side.value === "south";
    return { south: begins ? HUMAN : this.opponent.value, north: begins ? this.opponent.value : HUMAN };
  }

  /** Disables options that exclude each other, and describes the choice. */
  update() {
    const kind = this.radio("game");
    for (const box of this.boxes().filter(({ name }) => name === "option")) {
      const excludes = this.games.options.find(({ name }) => name === box.value)?.excludes ?? [];
      // A game that is a name for some options has settled these.
      if (excludes.includes(kind)) box.checked = false;
      box.disabled = excludes.includes(kind) || this.options.some((one) => excludes.includes(one));
    }
    const mode = this.radio("mode");
    find(this.dialog, "#picker-computer").hidden = mode !== "computer";
    find(this.dialog, "#picker-both").hidden = mode !== "watch";
    const { south, north } = this.players;
    const about = [south, north].flatMap((one) =>
      this.games.opponents.filter(({ name }) => name === one).map(({ title, about }) => `${title}: ${about}`),
    );
    find(this.dialog, "#picker-about").textContent =
      [...new Set(about)].join(" ") || "Both sides are yours, and every value is shown.";
    this.tell();
  }

  /** The rules in words, and whether a fair start is known. */
  async tell() {
    const { name } = this;
    if (name === this.dialog.dataset.game || name.includes("NaN")) return;
    this.dialog.dataset.game = name;
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const [rules, fair] = await Promise.all([
      this.ask.rules(name, signal).catch(() => []),
      this.ask.fair(name, 0, signal).catch(() => null),
    ]);
    if (signal.aborted) return;
    this.fair.disabled = !fair?.start;
    find(this.dialog, "#picker-rules").replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  }
}

/** @param {string} type @param {string} group @param {string} value @param {string} title @param {string} about */
function choice(type, group, value, title, about) {
  return make(
    "label",
    {},
    make("input", { type, name: group, value }),
    make("span", {}, title),
    make("small", {}, about),
  );
}
