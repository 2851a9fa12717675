// The list of moves: turns in rows with what they lead to, variations indented under the move they replace.

import { button, make } from "./dom.js";
import { signed, title, tone } from "./words.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./backend.js").Played} Played */
/**
 * `lost`: points that the turn which a move ends has lost; `value`: South's margin after a move, if it is known.
 * @typedef {{
 *   played: (node: Node) => Played | undefined, lost: (node: Node) => number, value: (node: Node) => number | null,
 *   go: (node: Node) => void,
 * }} About
 */

/**
 * @param {HTMLElement} host
 * @param {Node} root
 * @param {Node} current
 * @param {About} about
 */
export function showHistory(host, root, current, { played, lost, value, go }) {
  /** @param {Node} first @returns {HTMLElement[]} */
  const line = (first) => {
    /** @type {HTMLElement[]} */
    const blocks = [];
    /** @type {HTMLElement | null} */
    let row = null;
    let turn = 0;
    /** @type {Node | undefined} */
    let node = first;
    /** @type {Node | undefined} */
    let last;
    /** @type {Node[]} */
    let forks = [];
    const close = () => {
      if (row && last) row.append(badge(last));
      for (const fork of forks) blocks.push(make("div", { class: "variation" }, ...line(fork)));
      forks = [];
      row = null;
    };
    while (node) {
      const about = played(node);
      if (!row || about?.turn !== turn) {
        close();
        turn = about?.turn ?? 0;
        row = make("div", { class: "turn" }, label(turn, about?.side));
        blocks.push(row);
      }
      row.append(move(node));
      if (node.comment) row.append(make("span", { class: "said" }, node.comment));
      if (node.parent?.children[0] === node) forks.push(...node.parent.children.slice(1));
      last = node;
      node = node.children[0];
    }
    close();
    return blocks;
  };

  /** What a turn leads to, and what it gave away. @param {Node} node */
  const badge = (node) => {
    const [known, loss] = [value(node), lost(node)];
    const host = make("span", { class: "worth" });
    if (loss > 0) host.append(make("span", { class: "lost", title: `gave away ${loss}` }, `\u2212${loss}`));
    if (known !== null) host.append(make("span", { class: `figure ${tone(known)}`, title: "South\u2019s margin" }, signed(known)));
    return host;
  };

  /** @param {Node} node */
  const move = (node) => {
    const about = played(node);
    const text = `${node.move}${about?.captured ? "\u00d7" : ""}${node.mark}`;
    const note = `${about?.captured ? `, captures ${about.captured}` : ""}${node.mark === "!" ? ", good" : node.mark === "?" ? ", bad" : ""}`;
    return button(text, () => go(node), {
      "aria-label": `${node.move === "swap" ? "Swap" : `House ${node.move}`}${note}`,
      "aria-current": node === current ? "step" : null,
    });
  };

  const start = button("Start", () => go(root), { "aria-current": root === current ? "step" : null });
  const opening = make("div", { class: "turn" }, start, ...(root.comment ? [make("span", { class: "said" }, root.comment)] : []));
  const [main] = root.children;
  host.replaceChildren(opening, ...(main ? line(main) : []));
  const here = host.querySelector("[aria-current]");
  // Only the list scrolls, and only as far as it must; never the page.
  if (!(here instanceof HTMLElement)) return;
  const top = here.offsetTop - host.offsetTop;
  if (top < host.scrollTop) host.scrollTop = top - 8;
  else if (top + here.offsetHeight > host.scrollTop + host.clientHeight) host.scrollTop = top + here.offsetHeight - host.clientHeight + 8;
}

/** @param {number} turn @param {import("./backend.js").Side | undefined} side */
function label(turn, side) {
  if (!side) return make("span", { class: "who" }, "");
  return make("span", { class: "who" }, `${turn}. `, make("b", { class: side }, title(side)));
}
