// The look of the board: colours come from the style sheet, shapes from here.

import { draw } from "./dom.js";

/** How many kinds of seeds there are. */
export const TONES = 5;

let boards = 0;

/** Colours that one board draws with; another on the same page has its own.
 * @returns {{ defs: SVGDefsElement, url: (name: string) => string }} */
export function shades() {
  boards += 1;
  const name = `shade-${boards}`;
  const gradients = Array.from({ length: TONES }, (_, tone) =>
    draw(
      "radialGradient",
      { id: `${name}-seed-${tone}`, cx: "35%", cy: "30%", r: "75%" },
      draw("stop", { offset: "0%", class: `seed-${tone}-light` }),
      draw("stop", { offset: "100%", class: `seed-${tone}-dark` }),
    ),
  );
  const hollow = draw(
    "radialGradient",
    { id: `${name}-hollow`, cx: "50%", cy: "38%", r: "68%" },
    draw("stop", { offset: "0%", class: "hollow-deep" }),
    draw("stop", { offset: "100%", class: "hollow-rim" }),
  );
  const plank = draw(
    "linearGradient",
    { id: `${name}-plank`, x1: "0", y1: "0", x2: "0", y2: "1" },
    draw("stop", { offset: "0%", class: "plank-top" }),
    draw("stop", { offset: "100%", class: "plank-bottom" }),
  );
  const heads = ["best", "threat"].map((kind) =>
    draw(
      "marker",
      {
        id: `${name}-head-${kind}`,
        viewBox: "0 0 10 10",
        refX: 7,
        refY: 5,
        markerWidth: 4,
        markerHeight: 4,
        orient: "auto-start-reverse",
      },
      draw("path", { class: `head ${kind}`, d: "M0 0 L10 5 L0 10 Z" }),
    ),
  );
  return { defs: draw("defs", {}, ...gradients, hollow, plank, ...heads), url: (part) => `url(#${name}-${part})` };
}

/** The lines in the wood. @param {import("./layout.js").Box} wood */
export function grain({ x, y, width, height }) {
  const lines = Array.from({ length: 9 }, (_, i) => {
    const at = y + ((i + 0.6) * height) / 9;
    const bend = ((i * 37) % 11) - 5;
    return `M${x + 12} ${at} C${x + width * 0.3} ${at + bend * 1.6} ${x + width * 0.6} ${at - bend * 2} ${x + width - 12} ${at + bend}`;
  });
  return draw("path", { class: "grain", d: lines.join(" ") });
}
