// The turns played: rows with their values, variations indented under the move they replace, and buttons for
// the move that is shown.

/** @import { Tree } from "../tree.js" */
/** @import { Side, State } from "../types.js" */

import { button, make } from "../dom.js";
import { signed, title, tone } from "../text.js";
import { rootOf } from "../tree.js";
import { Panel } from "./panel.js";

export class TurnsPanel extends Panel {
  mount() {
    const { store } = this;
    this.clicks({
      "#promote": () => ({ type: "promote" }),
      "#remove": () => ({ type: "go", node: store.state.node.remove() }),
      "#review": () => ({ type: "show", part: "review" }),
      "#practise": () => ({ type: "show", part: "practice" }),
    });
    this.watch(["shown", "played", "values", "review", "preferences", "edits"], (state) => this.draw(state));
    this.watch(["shown", "edits", "review", "practice", "closed"], (state) => this.drawButtons(state));
  }

  /** @param {State} state */
  drawButtons({ view, node, review, practice, closed }) {
    const off = this.find("#review", HTMLButtonElement);
    if (closed) off.disabled = true;
    if (!view) return;
    off.disabled = node.line.length < 2;
    this.find("#promote").hidden = rootOf(node).line.includes(node);
    this.find("#remove").hidden = !node.parent;
    this.find("#practise").hidden = !review?.ready || practice !== null;
  }

  /** @param {State} state */
  draw(state) {
    if (!state.view) return;
    const root = rootOf(state.node);
    const [main] = root.children;
    const opening = make("div", { class: "turn" }, this.step("Start", root, {}), ...said(root));
    this.find("#history").replaceChildren(opening, ...(main ? this.line(state, main) : []));
    this.scroll();
  }

  /** The rows of a line and, below each, the variations that leave it there. @param {State} state @param {Tree} first @returns {HTMLElement[]} */
  line(state, first) {
    /** @type {HTMLElement[]} */
    const blocks = [];
    for (const nodes of turns(state, first)) {
      const about = state.played.get(nodes[0].moves.join());
      const moves = nodes.flatMap((node) => [this.move(state, node), ...said(node)]);
      blocks.push(
        make(
          "div",
          { class: "turn" },
          label(about?.turn ?? 0, about?.side),
          ...moves,
          badge(state, nodes[nodes.length - 1]),
        ),
      );
      const forks = nodes.flatMap((node) => (node.parent?.children[0] === node ? node.parent.children.slice(1) : []));
      blocks.push(...forks.map((fork) => make("div", { class: "variation" }, ...this.line(state, fork))));
    }
    return blocks;
  }

  /** @param {State} state @param {Tree} node */
  move({ played }, node) {
    const captured = played.get(node.moves.join())?.captured;
    const note = `${captured ? `, captures ${captured}` : ""}${node.mark === "!" ? ", good" : node.mark === "?" ? ", bad" : ""}`;
    const name = node.move === "swap" ? "Swap" : `House ${node.move}`;
    return this.step(`${node.move}${captured ? "\u00d7" : ""}${node.mark}`, node, { "aria-label": `${name}${note}` });
  }

  /** @param {string} text @param {Tree} node @param {import("../board/dom.js").Attributes} attributes */
  step(text, node, attributes) {
    const current = node === this.store.state.node ? "step" : null;
    return button(text, () => this.dispatch({ type: "go", node }), { ...attributes, "aria-current": current });
  }

  /** Shows the current move. Only the list scrolls, and only as far as it must; never the page. */
  scroll() {
    const list = this.find("#history");
    const here = list.querySelector("[aria-current]");
    if (!(here instanceof HTMLElement)) return;
    const top = here.offsetTop - list.offsetTop;
    const bottom = top + here.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 8;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 8;
  }
}

/** The nodes of a line, turn by turn. @param {State} state @param {Tree} first @returns {Tree[][]} */
function turns({ played }, first) {
  /** @type {Tree[][]} */
  const rows = [];
  let turn = 0;
  for (let node = /** @type {Tree | undefined} */ (first); node; node = node.children[0]) {
    const next = played.get(node.moves.join())?.turn;
    if (rows.length > 0 && next === turn) rows[rows.length - 1].push(node);
    else rows.push([node]);
    turn = next ?? 0;
  }
  return rows;
}

/** The value after a turn, and the points that it gave away. @param {State} state @param {Tree} node */
function badge({ values, review, preferences }, node) {
  const name = node.moves.join();
  const known = preferences.values ? (values.get(name) ?? null) : null;
  const loss = review?.losses.get(name) ?? 0;
  const host = make("span", { class: "worth" });
  if (loss > 0) host.append(make("span", { class: "lost", title: `gave away ${loss}` }, `\u2212${loss}`));
  if (known !== null)
    host.append(make("span", { class: `figure ${tone(known)}`, title: "South\u2019s margin" }, signed(known)));
  return host;
}

/** @param {Tree} node */
function said({ comment }) {
  return comment ? [make("span", { class: "said" }, comment)] : [];
}

/** @param {number} turn @param {Side | undefined} side */
function label(turn, side) {
  if (!side) return make("span", { class: "who" }, "");
  return make("span", { class: "who" }, `${turn}. `, make("b", { class: side }, title(side)));
}
