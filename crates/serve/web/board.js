// The board: it draws what lies in the pits, shows the moves it is given and reports which house
// was chosen. It knows no rules.

import { draw, make, set } from "./dom.js";
import { DRAWN, heap } from "./heap.js";
import { layout } from "./layout.js";
import { changed, effect, key, pits, seedsIn } from "./pits.js";
import { TONES, grain, shades } from "./wood.js";
import { title } from "./words.js";

/** @typedef {import("./api.js").Seeds} Seeds */
/** @typedef {import("./api.js").Motion} Motion */
/** @typedef {import("./pits.js").Pit} Pit */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").Place} Place */
/** @typedef {{ text: string, tone: "win" | "draw" | "loss" | "open", best: boolean }} Mark */
/** @typedef {{ pit: Pit, label: string, lands: Pit }} Choice */
/** @typedef {{ seeds: SVGCircleElement[], count: SVGTextElement, hole: SVGEllipseElement, button: HTMLButtonElement | null }} Parts */

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {(pit: Pit) => void} chosen
   * @param {(pit: Pit | null) => void} aimed told of the house that is pointed at or focused
   */
  constructor(host, chosen, aimed) {
    this.host = host;
    this.chosen = chosen;
    this.aimed = aimed;
    this.flip = false;
    this.portrait = false;
    /** @type {Seeds | null} */
    this.seeds = null;
    /** @type {Choice[]} */
    this.choices = [];
    /** @type {Map<string, Mark>} */
    this.marks = new Map();
    /** @type {Map<string, Parts>} */
    this.parts = new Map();
    this.hurried = false;
    /** Tells an animation that another board is shown meanwhile. */
    this.shown = 0;
    /** @type {Set<Animation>} */
    this.moving = new Set();
    this.layout = layout(1, this);
    new ResizeObserver(() => this.fit()).observe(host);
  }

  /** Stands the board up where it is narrow. */
  fit() {
    const portrait = this.host.clientWidth > 0 && this.host.clientWidth < 520;
    if (portrait === this.portrait) return;
    this.portrait = portrait;
    this.rebuild();
  }

  /** @param {boolean} flip */
  turn(flip) {
    if (flip === this.flip) return;
    this.flip = flip;
    this.rebuild();
  }

  /** Shows this board at once. @param {Seeds} seeds */
  show(seeds) {
    this.hurry();
    this.shown += 1;
    const rebuild = this.seeds?.south.houses.length !== seeds.south.houses.length;
    this.seeds = seeds;
    if (rebuild) this.rebuild();
    else this.settle();
  }

  /** The houses that can be chosen. @param {Choice[]} choices */
  offer(choices) {
    this.choices = choices;
    const labels = new Map(choices.map((choice) => [key(choice.pit), choice.label]));
    for (const pit of this.pits()) {
      const { button } = this.part(pit);
      if (!button || pit.house === null) continue;
      const label = labels.get(key(pit));
      const seeds = this.seeds ? seedsIn(this.seeds, pit) : 0;
      set(button, {
        "aria-label": label ?? `${title(pit.side)} house ${pit.house}, ${seeds} seeds`,
        "aria-disabled": label === undefined ? "true" : null,
        tabindex: label === undefined ? -1 : 0,
      });
    }
  }

  /** What stands beside the houses. @param {Map<string, Mark>} marks */
  mark(marks) {
    this.marks = marks;
    if (!this.seeds) return;
    const chips = this.layer("chips");
    chips.replaceChildren();
    for (const [name, { text, tone, best }] of marks) {
      const place = this.layout.places.get(name);
      if (!place) continue;
      const width = Math.max(44, 18 + text.length * (text.length > 5 ? 8 : 11));
      const { x, y } = place.chip;
      chips.append(
        draw(
          "g",
          { class: `chip ${tone}${best ? " best" : ""}${text.length > 5 ? " long" : ""}` },
          draw("rect", { x: x - width / 2, y: y - 15, width, height: 30, rx: 15 }),
          draw("text", { x, y }, text),
        ),
      );
    }
  }

  /** Points out a pit, as the one where a last seed falls. @param {Pit | null} pit */
  target(pit) {
    for (const one of this.pits()) {
      this.part(one).hole.classList.toggle("target", pit !== null && key(one) === key(pit));
    }
  }

  /** Shows where the last move ended. @param {Pit | null} pit */
  landed(pit) {
    for (const one of this.pits()) {
      this.part(one).hole.classList.toggle("landed", pit !== null && key(one) === key(pit));
    }
  }

  /** Lets an animation that runs end at once. */
  hurry() {
    this.hurried = true;
    for (const animation of this.moving) animation.finish();
  }

  /**
   * Plays motions seed by seed.
   *
   * @param {Motion[]} motions
   * @param {number} pace milliseconds a motion; 0 shows the end at once
   * @returns {Promise<Seeds | null>} what lies in the pits afterwards; null if another board is shown meanwhile
   */
  async animate(motions, pace) {
    this.hurry();
    this.hurried = pace === 0;
    this.shown += 1;
    const { shown } = this;
    const hand = this.layer("hand");
    /** @type {SVGCircleElement[]} */
    const held = [];
    /** @type {Place | null} */
    let at = null;
    for (const motion of motions) {
      const { pit, gain } = effect(motion);
      const goal = this.place(pit);
      if (at && held.length > 0) await this.travel(hand, at, goal, pace);
      if (shown !== this.shown) break;
      at = goal;
      set(hand, { transform: `translate(${at.x} ${at.y})` });
      this.change(pit, gain);
      const { seeds } = this.part(pit);
      if (gain < 0) {
        held.push(...seeds.splice(0));
        const { spots } = heap(held.length, 30, 30, 0);
        held.slice(0, spots.length).forEach((seed, i) => set(seed, { cx: spots[i].x, cy: spots[i].y }));
        hand.replaceChildren(...held);
        await this.play(hand, [{ opacity: 1 }, { opacity: 0.8 }, { opacity: 1 }], pace);
      } else {
        seeds.push(...held.splice(-gain, gain));
        this.arrange(pit);
      }
    }
    hand.replaceChildren();
    return shown === this.shown ? this.seeds : null;
  }

  /** @param {Element} hand @param {Place} from @param {Place} to @param {number} pace */
  async travel(hand, from, to, pace) {
    const frames = [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    await this.play(hand, frames, pace);
  }

  /** @param {Element} element @param {Keyframe[]} frames @param {number} duration */
  async play(element, frames, duration) {
    if (this.hurried || duration < 4) return;
    const animation = element.animate(frames, { duration, easing: "ease-in-out" });
    this.moving.add(animation);
    await animation.finished.catch(() => {});
    this.moving.delete(animation);
  }

  /** @param {Pit} pit @param {number} change */
  change(pit, change) {
    if (!this.seeds) return;
    this.seeds = changed(this.seeds, pit, change);
    this.part(pit).count.textContent = String(seedsIn(this.seeds, pit));
  }

  /** Lays a pit's seeds out. @param {Pit} pit */
  arrange(pit) {
    const { seeds } = this.part(pit);
    const place = this.place(pit);
    const turn = [...key(pit)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const { radius, spots } = heap(seeds.length, place.rx, place.ry, turn);
    const layer = this.layer("seeds");
    seeds.forEach((seed, i) => {
      if (seed.parentNode !== layer) layer.append(seed);
      const spot = spots[Math.min(i, DRAWN - 1)];
      set(seed, { cx: (place.x + spot.x).toFixed(1), cy: (place.y + spot.y).toFixed(1), r: radius.toFixed(1) });
    });
  }

  /** Puts just as many seeds in each pit as there should be, moving those that are there. */
  settle() {
    const { seeds } = this;
    if (!seeds) return;
    const spare = [];
    for (const pit of this.pits()) {
      const wanted = Math.min(seedsIn(seeds, pit), DRAWN);
      spare.push(...this.part(pit).seeds.splice(wanted));
    }
    for (const pit of this.pits()) {
      const part = this.part(pit);
      const wanted = Math.min(seedsIn(seeds, pit), DRAWN);
      while (part.seeds.length < wanted) part.seeds.push(spare.pop() ?? this.seed());
      part.count.textContent = String(seedsIn(seeds, pit));
      this.arrange(pit);
    }
    for (const seed of spare) seed.remove();
  }

  seed() {
    this.made = ((this.made ?? 0) + 3) % TONES;
    return draw("circle", { class: "seed", fill: `url(#seed-${this.made})`, r: 9 });
  }

  /** Draws everything anew, after a change of size, side or direction. */
  rebuild() {
    if (!this.seeds) return;
    this.hurry();
    const houses = this.seeds.south.houses.length;
    this.layout = layout(houses, this);
    this.parts.clear();
    const { width, height, wood } = this.layout;
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: `drawing ${this.portrait ? "upright" : "lying"}` });
    svg.append(
      shades(),
      draw("rect", { class: "wood", ...wood, rx: 34 }),
      grain(wood),
      ...["holes", "seeds", "hand", "counts", "chips"].map((name) => draw("g", { class: name })),
    );
    const buttons = make("div", { class: "buttons" });
    this.host.replaceChildren(svg, buttons);
    for (const pit of pits(houses)) this.dig(pit, buttons);
    this.settle();
    this.offer(this.choices);
    this.mark(this.marks);
  }

  /** @param {Pit} pit @param {HTMLElement} buttons */
  dig(pit, buttons) {
    const place = this.place(pit);
    const hole = draw("ellipse", { class: "hole", cx: place.x, cy: place.y, rx: place.rx, ry: place.ry });
    const count = draw("text", { class: "count", ...place.count });
    const name = pit.house === null ? title(pit.side) : String(pit.house);
    const number = draw("text", { class: `number${pit.house === null ? " name" : ""}`, ...place.number }, name);
    this.layer("holes").append(hole);
    this.layer("counts").append(count, number);
    if (pit.house !== null) this.layer("counts").append(draw("circle", { class: "ring", cx: place.number.x, cy: place.number.y, r: 10.5 }));
    const button = pit.house === null ? null : this.button(pit, place);
    if (button) buttons.append(button);
    this.parts.set(key(pit), { seeds: [], count, hole, button });
  }

  /** @param {Pit} pit @param {Place} place */
  button(pit, { cell }) {
    const button = make("button", { type: "button", class: "house", "data-pit": key(pit) });
    const { width, height } = this.layout;
    button.style.left = `${(100 * cell.x) / width}%`;
    button.style.top = `${(100 * cell.y) / height}%`;
    button.style.width = `${(100 * cell.width) / width}%`;
    button.style.height = `${(100 * cell.height) / height}%`;
    const open = () => this.choices.find((choice) => key(choice.pit) === key(pit));
    const aim = (/** @type {boolean} */ on) => {
      const choice = on ? open() : undefined;
      this.target(choice?.lands ?? null);
      this.aimed(choice ? pit : null);
    };
    button.addEventListener("click", (event) => {
      // A pointer leaves no focus behind, so that the space bar stays free for the best move.
      if (event.detail > 0) button.blur();
      aim(false);
      if (open()) this.chosen(pit);
    });
    button.addEventListener("pointerenter", () => aim(true));
    button.addEventListener("pointerleave", () => aim(false));
    button.addEventListener("focus", () => aim(true));
    button.addEventListener("blur", () => aim(false));
    return button;
  }

  pits() {
    return pits(this.seeds?.south.houses.length ?? 0).filter((pit) => this.parts.has(key(pit)));
  }

  /** @param {Pit} pit */
  part(pit) {
    const part = this.parts.get(key(pit));
    if (!part) throw new Error(`the board has no ${key(pit)}`);
    return part;
  }

  /** @param {Pit} pit */
  place(pit) {
    const place = this.layout.places.get(key(pit));
    if (!place) throw new Error(`the board has no ${key(pit)}`);
    return place;
  }

  /** @param {string} name @returns {SVGGElement} */
  layer(name) {
    const layer = this.host.querySelector(`.${name}`);
    if (layer instanceof SVGGElement) return layer;
    throw new Error("the board has not been drawn yet");
  }
}
