// The value of the game after every move, as a curve: up is good for South.

/** @import { State } from "../types.js" */
/** @typedef {{ value: number | null, worst: boolean }} Point */

import { draw } from "../dom.js";
import { signed } from "../text.js";
import { Panel } from "./panel.js";

const [HEIGHT, PAD, LABELS] = [128, 12, 22];

/** @param {number} ply @param {number} points @param {number} width */
function across(ply, points, width) {
  return PAD + (ply * (width - 2 * PAD)) / Math.max(points - 1, 1);
}

/**
 * Where the points lie; unknown values are left out.
 *
 * @param {Point[]} points
 * @param {number} width
 * @returns {{ top: number, spots: { x: number, y: number, ply: number, worst: boolean }[] }}
 */
export function plot(points, width) {
  const top = points.reduce((most, { value }) => Math.max(most, Math.abs(value ?? 0)), 4);
  const spots = points.flatMap(({ value, worst }, ply) => {
    if (value === null) return [];
    const x = across(ply, points.length, width);
    const y = HEIGHT / 2 - (value / top) * (HEIGHT / 2 - LABELS);
    return [{ x, y, ply, worst }];
  });
  return { top, spots };
}

export class CurvePanel extends Panel {
  mount() {
    this.watch(["shown", "values", "review", "edits"], (state) => this.draw(state));
  }

  /** @param {State} state */
  draw({ view, node, values, review }) {
    if (!view) return;
    const { root } = this;
    const points = node.line.map(({ moves }) => {
      const name = moves.join();
      return { value: values.get(name) ?? null, worst: review?.worst.has(name) ?? false };
    });
    root.hidden = points.length < 2;
    const width = root.clientWidth || 360;
    const svg = curve(points, node.moves.length, width);
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      const ply = Math.round(((x - PAD) / (width - 2 * PAD)) * (points.length - 1));
      const to = Math.min(Math.max(ply, 0), points.length - 1);
      this.dispatch({ type: "go", node: this.store.state.node.line[to] });
    });
    root.replaceChildren(svg);
  }
}

/** @param {Point[]} points @param {number} here @param {number} width */
function curve(points, here, width) {
  const { top, spots } = plot(points, width);
  const x = across(here, points.length, width);
  const known = points[here]?.value ?? null;
  const said = known === null ? "not known here" : `${signed(known)} for South here`;
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    "aria-label": `Value curve of ${points.length - 1} moves, ${said}`,
  });
  const line = spots.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L");
  svg.append(draw("rect", { class: "ground", x: 0, y: 0, width: width, height: HEIGHT, rx: 8 }));
  if (spots.length > 1) {
    const [left, right] = [spots[0].x, spots[spots.length - 1].x];
    const area = `M${left} ${HEIGHT / 2} L${line} L${right} ${HEIGHT / 2} Z`;
    for (const side of ["south", "north"]) {
      const clip = draw(
        "clipPath",
        { id: `half-${side}` },
        draw("rect", { x: 0, y: side === "south" ? 0 : HEIGHT / 2, width: width, height: HEIGHT / 2 }),
      );
      svg.append(clip, draw("path", { class: `area-${side}`, d: area, "clip-path": `url(#half-${side})` }));
    }
    svg.append(draw("path", { class: "path", d: `M${line}` }));
  }
  svg.append(
    draw("line", { class: "zero", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    draw("line", { class: "here", x1: x, x2: x, y1: 4, y2: HEIGHT - 4 }),
    ...spots.map(({ x, y, worst }) =>
      draw("circle", { class: worst ? "worst" : "dot", cx: x, cy: y, r: worst ? 5 : 2.4 }),
    ),
    draw("text", { x: 6, y: 14 }, `South ${signed(top)}`),
    draw("text", { x: 6, y: HEIGHT - 6 }, `North ${signed(top)}`),
  );
  if (spots.length < 2)
    svg.append(draw("text", { class: "wish", x: width / 2, y: HEIGHT / 2 - 8 }, "A review draws the whole curve."));
  return svg;
}
