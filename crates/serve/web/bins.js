// The solitaire's board: one row of bins, the Ruma at its left end. It knows no rules.

import { draw, make, set } from "./board/dom.js";
import { heap } from "./board/heap.js";
import { count } from "./board/labels.js";
import { grain, shades, TONES } from "./board/wood.js";

const [CELL, HEIGHT, CENTRE] = [88, 206, 98];

export class Bins {
  /** @param {HTMLElement} host @param {(bin: number) => void} chosen */
  constructor(host, chosen) {
    this.host = host;
    this.chosen = chosen;
    /** Seeds by pit, the Ruma first. @type {SVGCircleElement[][]} */
    this.pits = [];
    /** @type {Element} */
    this.layer = this.host;
    this.shades = shades();
  }

  /**
   * @param {number[]} seeds the Ruma first
   * @param {{ legal: number[], next: number | null }} moves
   * @param {number} pace milliseconds a stone takes; 0 for no motion
   */
  show(seeds, { legal, next }, pace) {
    const before = this.pits;
    const width = seeds.length * CELL + 24;
    const svg = draw("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, class: "drawing", "aria-hidden": "true" });
    const wood = { x: 2, y: 2, width: width - 4, height: HEIGHT - 4 };
    this.layer = draw("g", {});
    const [holes, texts, buttons] = [
      draw("g", { class: "holes" }),
      draw("g", { class: "counts" }),
      make("div", { class: "buttons" }),
    ];
    const { defs, url } = this.shades;
    svg.append(
      defs,
      draw("rect", { class: "wood", ...wood, rx: 30, fill: url("plank") }),
      grain(wood),
      holes,
      this.layer,
      texts,
    );
    const scene = make("div", { class: "scene" }, svg, buttons);
    // A bin is never smaller than a finger; a long row scrolls.
    scene.style.minWidth = `${seeds.length * 46}px`;
    scene.style.maxWidth = `${seeds.length * 110}px`;
    const scroll = this.host.scrollLeft;
    this.pits = this.deal(seeds, before);
    seeds.forEach((stones, bin) => {
      const x = 12 + (bin + 0.5) * CELL;
      holes.append(
        draw("ellipse", {
          class: `hole${bin === next ? " next" : ""}`,
          cx: x,
          cy: CENTRE,
          rx: 38,
          ry: 60,
          fill: url("hollow"),
        }),
      );
      texts.append(draw("text", { class: "count", x, y: HEIGHT - 26 }, String(stones)));
      texts.append(
        draw(
          "text",
          { class: bin ? "number" : "number name", x: bin ? x - 30 : x, y: bin ? HEIGHT - 26 : 22 },
          bin ? String(bin) : "Ruma",
        ),
      );
      if (bin > 0) buttons.append(this.button(bin, stones, legal.includes(bin), width));
      this.lay(bin, x, pace);
    });
    this.host.replaceChildren(scene);
    this.host.scrollLeft = scroll;
  }

  /** Hands the seeds that are there out again. @param {number[]} seeds @param {SVGCircleElement[][]} before */
  deal(seeds, before) {
    const spare = before.flatMap((pit, bin) => pit.splice(seeds[bin] ?? 0)).reverse();
    let made = 0;
    return seeds.map((stones, bin) => {
      const pit = before[bin] ?? [];
      while (pit.length < stones) {
        made += 1;
        pit.push(
          spare.pop() ??
            draw("circle", { class: "seed", fill: this.shades.url(`seed-${(bin * 2 + made * 3) % TONES}`) }),
        );
      }
      return pit;
    });
  }

  /** @param {number} bin @param {number} x @param {number} pace */
  lay(bin, x, pace) {
    const pit = this.pits[bin];
    const { radius, spots } = heap(pit.length, 38, 60, bin * 1.7);
    for (const seed of pit.slice(spots.length)) seed.remove();
    spots.forEach((spot, i) => {
      const seed = pit[i];
      const [cx, cy] = [x + spot.x, CENTRE + spot.y];
      const [oldX, oldY] = [Number(seed.getAttribute("cx") ?? cx), Number(seed.getAttribute("cy") ?? cy)];
      set(seed, { cx: cx.toFixed(1), cy: cy.toFixed(1), r: radius.toFixed(1) });
      this.layer.append(seed);
      if (pace > 0 && Math.abs(oldX - cx) > CELL / 2) {
        const delay = (Math.abs(oldX - cx) / CELL) * pace * 0.35;
        const from = `translate(${oldX - cx}px, ${oldY - cy}px)`;
        queueMicrotask(() =>
          seed.animate([{ transform: from }, { transform: "none" }], {
            duration: pace * 2,
            delay,
            fill: "backwards",
            easing: "ease-in-out",
          }),
        );
      }
    });
  }

  /** @param {number} bin @param {number} stones @param {boolean} open @param {number} width */
  button(bin, stones, open, width) {
    const button = make("button", {
      type: "button",
      class: "house",
      "data-bin": bin,
      "aria-label": `Bin ${bin}, ${count(stones, "stone")}${open ? ", can be played" : ""}`,
      "aria-disabled": open ? null : "true",
      tabindex: open ? 0 : -1,
    });
    button.style.left = `${(100 * (12 + bin * CELL)) / width}%`;
    button.style.top = "4%";
    button.style.width = `${(100 * CELL) / width}%`;
    button.style.height = "92%";
    button.addEventListener("click", () => {
      if (open) this.chosen(bin);
    });
    return button;
  }
}
