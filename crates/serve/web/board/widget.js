// The board itself. One configuration sets it, as often as needed; `destroy` takes it off the page. It knows no rules.

/** @import { Config, Motion, Pit, Seeds } from "./board.js" */
/** @import { Box, Place } from "./layout.js" */
/** @typedef {{ seeds: SVGCircleElement[], count: SVGTextElement, hole: SVGEllipseElement, button: HTMLElement }} Parts */

import { draw, make, set } from "./dom.js";
import { DRAWN, heap } from "./heap.js";
import { count as counted, title } from "./labels.js";
import { layout } from "./layout.js";
import { changed, effect, key, pits, same, seedsIn } from "./pits.js";
import { grain, shades, TONES } from "./wood.js";

/** @returns {Config} */
function nothing() {
  return {
    seeds: null,
    flip: false,
    mover: null,
    choices: [],
    marks: new Map(),
    landed: null,
    origin: null,
    arrows: [],
    chosen: () => {},
    aimed: () => {},
    dropped: () => {},
  };
}

export class Board {
  /** @param {HTMLElement} host @param {Partial<Config>} [config] */
  constructor(host, config = {}) {
    this.host = host;
    this.config = nothing();
    /** The seeds as drawn, which an animation changes. @type {Seeds | null} */
    this.drawn = null;
    this.portrait = false;
    /** @type {Map<string, Parts>} */
    this.parts = new Map();
    this.shades = shades();
    this.made = 0;
    this.hurried = false;
    /** Aborts the animation under way when other seeds are shown. */
    this.showing = new AbortController();
    /** @type {Set<Animation>} */
    this.moving = new Set();
    this.layout = layout(1, { portrait: false, flip: false });
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(host);
    this.set(config);
  }

  /** Shows this; fields that are left out stay as they are. @param {Partial<Config>} change */
  set(change) {
    const before = this.config;
    this.config = { ...before, ...change };
    const { seeds, flip } = this.config;
    if (!seeds) return;
    const other = before.seeds?.south.houses.length !== seeds.south.houses.length;
    if (other || flip !== before.flip || this.parts.size === 0) return this.rebuild();
    if (change.seeds) this.show(seeds);
    this.dress(change);
  }

  destroy() {
    this.hurry();
    this.renew();
    this.observer.disconnect();
    this.parts.clear();
    this.host.replaceChildren();
  }

  /** Stands the board up where there is more height than width. */
  fit() {
    const portrait = this.host.clientWidth > 0 && this.host.clientWidth < 520 && innerHeight > innerWidth;
    if (portrait === this.portrait) return;
    this.portrait = portrait;
    if (this.config.seeds) this.rebuild();
  }

  /** Shows these seeds at once. @param {Seeds} seeds */
  show(seeds) {
    this.hurry();
    this.renew();
    this.drawn = seeds;
    this.settle();
  }

  /** Other seeds are shown from now on. */
  renew() {
    this.showing.abort();
    this.showing = new AbortController();
    return this.showing;
  }

  /** Everything but the seeds. @param {Partial<Config>} change */
  dress(change) {
    if ("choices" in change || "seeds" in change || "marks" in change) this.offer();
    if ("marks" in change) this.mark();
    if ("arrows" in change) this.point();
    if ("landed" in change || "origin" in change) {
      const { landed, origin } = this.config;
      this.toggle("landed", landed);
      this.toggle("origin", origin);
    }
    if ("marks" in change) {
      const best = [...this.config.marks].filter(([, mark]) => mark.best).map(([name]) => name);
      for (const [name, { hole }] of this.parts) hole.classList.toggle("best", best.includes(name));
    }
    if ("mover" in change) this.host.setAttribute("data-mover", this.config.mover ?? "nobody");
  }

  /** Labels the pits, and opens the houses that can be chosen. */
  offer() {
    const { choices, seeds } = this.config;
    if (!seeds) return;
    const labels = new Map(choices.map((choice) => [key(choice.pit), choice.label]));
    for (const pit of this.pits()) {
      const { button } = this.part(pit);
      const label = labels.get(key(pit));
      const what = counted(seedsIn(seeds, pit), "seed");
      if (pit.house === null) {
        button.setAttribute("aria-label", `${title(pit.side)}\u2019s store, ${what}`);
        continue;
      }
      set(button, {
        "aria-label": label ?? `${title(pit.side)} house ${pit.house}, ${what}`,
        "aria-disabled": label === undefined ? "true" : null,
        tabindex: label === undefined ? -1 : 0,
      });
    }
  }

  /** Draws the marks beside the houses. */
  mark() {
    const chips = this.layer("chips");
    chips.replaceChildren();
    for (const [name, { text, tone, best }] of this.config.marks) {
      const place = this.layout.places.get(name);
      if (!place) continue;
      const said = best ? `\u2605 ${text}` : text;
      const letter = this.portrait ? 8.6 : said.length > 5 ? 9 : 11;
      const width = Math.max(40, (this.portrait ? 13 : 18) + said.length * letter);
      const { x, y } = place.chip;
      const from = Math.min(Math.max(x - width / 2, 1), this.layout.width - width - 1);
      chips.append(
        draw(
          "g",
          { class: `chip ${tone}${best ? " best" : ""}${said.length > 5 ? " long" : ""}` },
          draw("rect", { x: from, y: y - 15, width, height: 30, rx: 15 }),
          draw("text", { x: from + width / 2, y }, said),
        ),
      );
    }
  }

  /** Arrows, each through the pits of its path. */
  point() {
    const drawn = this.config.arrows.flatMap(({ kind, path }) => {
      const spots = path.map((pit) => this.place(pit));
      if (spots.length < 2) return [];
      const d = spots.map(({ x, y }, i) => `${i ? "L" : "M"}${x} ${y}`).join(" ");
      const dots = spots.slice(1, -1).map(({ x, y }) => draw("circle", { class: `dot ${kind}`, cx: x, cy: y, r: 6 }));
      return [draw("path", { class: `arrow ${kind}`, d, "marker-end": this.shades.url(`head-${kind}`) }), ...dots];
    });
    this.layer("arrows").replaceChildren(...drawn);
  }

  /** @param {string} name @param {Pit | null} pit */
  toggle(name, pit) {
    for (const [one, { hole }] of this.parts) hole.classList.toggle(name, pit !== null && one === key(pit));
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
   * @returns {Promise<Seeds | null>} the seeds afterwards; null if other seeds are shown meanwhile
   */
  async animate(motions, pace) {
    this.hurry();
    this.hurried = pace === 0;
    const { signal } = this.renew();
    const hand = this.layer("hand");
    /** @type {SVGCircleElement[]} */
    const held = [];
    /** @type {Place | null} */
    let at = null;
    for (const motion of motions) {
      const { pit, gain } = effect(motion);
      const goal = this.place(pit);
      if (at && held.length > 0) await this.travel(hand, at, goal, pace);
      if (signal.aborted) return null;
      at = goal;
      set(hand, { transform: `translate(${at.x} ${at.y})` });
      this.change(pit, gain);
      if (!this.hurried) this.config.dropped(motion);
      const { seeds } = this.part(pit);
      if (gain < 0) {
        held.push(...seeds.splice(0));
        const { spots } = heap(held.length, 30, 30, 0);
        spots.forEach(({ x, y }, i) => {
          set(held[i], { cx: x, cy: y });
        });
        hand.replaceChildren(...held);
        await this.play(hand, [{ opacity: 1 }, { opacity: 0.8 }, { opacity: 1 }], pace);
      } else {
        seeds.push(...held.splice(-gain, gain));
        this.arrange(pit);
      }
    }
    hand.replaceChildren();
    return signal.aborted ? null : this.drawn;
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
    if (!this.drawn) return;
    this.drawn = changed(this.drawn, pit, change);
    this.part(pit).count.textContent = String(seedsIn(this.drawn, pit));
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
    const { drawn } = this;
    if (!drawn) return;
    const spare = [];
    for (const pit of this.pits()) {
      const wanted = Math.min(seedsIn(drawn, pit), DRAWN);
      spare.push(...this.part(pit).seeds.splice(wanted));
    }
    for (const pit of this.pits()) {
      const part = this.part(pit);
      const wanted = Math.min(seedsIn(drawn, pit), DRAWN);
      while (part.seeds.length < wanted) part.seeds.push(spare.pop() ?? this.seed());
      part.count.textContent = String(seedsIn(drawn, pit));
      this.arrange(pit);
    }
    for (const seed of spare) seed.remove();
    this.layer("hand").replaceChildren();
  }

  seed() {
    this.made = (this.made + 3) % TONES;
    return draw("circle", { class: "seed", fill: this.shades.url(`seed-${this.made}`), r: 9 });
  }

  /** Draws everything anew, after a change of size, side or direction. */
  rebuild() {
    const { seeds, flip } = this.config;
    if (!seeds) return;
    this.hurry();
    this.renew();
    const houses = seeds.south.houses.length;
    this.portrait = this.host.clientWidth > 0 && this.host.clientWidth < 520 && innerHeight > innerWidth;
    this.layout = layout(houses, { portrait: this.portrait, flip });
    this.parts.clear();
    const { width, height, wood, edges } = this.layout;
    this.host.style.setProperty("--ratio", (width / height).toFixed(4));
    const svg = draw("svg", {
      viewBox: `0 0 ${width} ${height}`,
      "aria-hidden": "true",
      class: `drawing ${this.portrait ? "upright" : "lying"}`,
    });
    const [near, far] = flip ? ["north", "south"] : ["south", "north"];
    svg.append(
      this.shades.defs,
      draw("rect", { class: "wood", ...wood, rx: 34, fill: this.shades.url("plank") }),
      grain(wood),
      draw("rect", { class: `edge ${near}`, ...edges.near, rx: 2.5 }),
      draw("rect", { class: `edge ${far}`, ...edges.far, rx: 2.5 }),
      ...["holes", "seeds", "arrows", "hand", "counts", "chips"].map((name) => draw("g", { class: name })),
    );
    const buttons = make("div", { class: "buttons", role: "group", "aria-label": "Houses and stores" });
    this.host.replaceChildren(svg, buttons);
    for (const pit of pits(houses)) this.dig(pit, buttons);
    this.drawn = seeds;
    this.settle();
    this.dress(this.config);
  }

  /** @param {Pit} pit @param {HTMLElement} buttons */
  dig(pit, buttons) {
    const place = this.place(pit);
    const hole = draw("ellipse", {
      class: "hole",
      cx: place.x,
      cy: place.y,
      rx: place.rx,
      ry: place.ry,
      fill: this.shades.url("hollow"),
    });
    const count = draw("text", { class: `count${pit.house === null ? " store" : ""}`, ...place.count });
    const name = pit.house === null ? title(pit.side) : String(pit.house);
    const number = draw(
      "text",
      { class: `number ${pit.side}${pit.house === null ? " name" : ""}`, ...place.number },
      name,
    );
    this.layer("holes").append(hole);
    this.layer("counts").append(count, number);
    const button = pit.house === null ? this.sign(pit, place) : this.button(pit, place);
    buttons.append(button);
    this.parts.set(key(pit), { seeds: [], count, hole, button });
  }

  /** A store, for screen readers. @param {Pit} pit @param {Place} place */
  sign(pit, { cell }) {
    return this.over(make("div", { class: "store", role: "img", "data-store": pit.side }), cell);
  }

  /** @template {HTMLElement} T @param {T} element @param {Box} cell @returns {T} */
  over(element, cell) {
    const { width, height } = this.layout;
    element.style.left = `${(100 * cell.x) / width}%`;
    element.style.top = `${(100 * cell.y) / height}%`;
    element.style.width = `${(100 * cell.width) / width}%`;
    element.style.height = `${(100 * cell.height) / height}%`;
    return element;
  }

  /** @param {Pit} pit @param {Place} place */
  button(pit, { cell }) {
    const button = this.over(make("button", { type: "button", class: "house", "data-pit": key(pit) }), cell);
    const open = () => this.config.choices.find((choice) => key(choice.pit) === key(pit));
    const aim = (/** @type {boolean} */ on) => {
      const choice = on ? open() : undefined;
      this.toggle("target", choice?.lands ?? null);
      this.config.aimed(choice ? pit : null);
    };
    button.addEventListener("click", (event) => {
      // A pointer leaves no focus behind, so that the space bar stays free for the best move.
      if (event.detail > 0) button.blur();
      aim(false);
      if (open()) this.config.chosen(pit);
      else refuse(button);
    });
    // A finger does not hover.
    button.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && aim(true));
    button.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && aim(false));
    button.addEventListener("focus", () => button.matches(":focus-visible") && aim(true));
    button.addEventListener("blur", () => aim(false));
    return button;
  }

  /** Shows that a house cannot be played now. @param {Pit} pit */
  refuse(pit) {
    const part = this.parts.get(key(pit));
    if (part) refuse(part.button);
  }

  /** Whether the seeds as drawn are these. @param {Seeds} seeds */
  holds(seeds) {
    return this.drawn !== null && same(this.drawn, seeds);
  }

  pits() {
    return pits(this.config.seeds?.south.houses.length ?? 0).filter((pit) => this.parts.has(key(pit)));
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

/** @param {HTMLElement} button */
function refuse(button) {
  button.classList.remove("refused");
  void button.offsetWidth;
  button.classList.add("refused");
  setTimeout(() => button.classList.remove("refused"), 600);
}
