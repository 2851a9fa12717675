// The list of moves: turns in rows, variations indented under the move they replace.

import { button, make } from "./dom.js";
import { title } from "./words.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./api.js").Played} Played */
/** @typedef {(node: Node) => Played | undefined} Lookup */

/**
 * @param {HTMLElement} host
 * @param {Node} root
 * @param {Node} current
 * @param {Lookup} played what is known about a move
 * @param {(node: Node) => number} lost points that the turn which a move ends has lost
 * @param {(node: Node) => void} go
 */
export function showHistory(host, root, current, played, lost, go) {
  /** @param {Node} first @returns {HTMLElement[]} */
  const line = (first) => {
    /** @type {HTMLElement[]} */
    const blocks = [];
    /** @type {HTMLElement | null} */
    let row = null;
    let turn = 0;
    /** @type {Node | undefined} */
    let node = first;
    /** @type {Node[]} */
    let forks = [];
    const close = () => {
      for (const fork of forks) blocks.push(make("div", { class: "variation" }, ...line(fork)));
      forks = [];
      row = null;
    };
    while (node) {
      const about = played(node);
      if (!row || about?.turn !== turn) {
        close();
        turn = about?.turn ?? 0;
        const side = about?.side;
        row = make("div", { class: "turn" }, label(turn, side));
        blocks.push(row);
      }
      row.append(move(node));
      const loss = lost(node);
      if (loss > 0) row.append(make("span", { class: "lost" }, `loses ${loss}`));
      if (node.parent?.children[0] === node) forks.push(...node.parent.children.slice(1));
      node = node.children[0];
    }
    close();
    return blocks;
  };

  /** @param {Node} node */
  const move = (node) => {
    const about = played(node);
    const text = node.move === "x" ? "swap" : node.move;
    const note = about?.captured ? `, captures ${about.captured}` : "";
    return button(about?.captured ? `${text}\u00d7` : text, () => go(node), {
      "aria-label": `${node.move === "x" ? "Swap" : `House ${node.move}`}${note}`,
      "aria-current": node === current ? "step" : null,
    });
  };

  const start = button("Start", () => go(root), { "aria-current": root === current ? "step" : null });
  const [main] = root.children;
  host.replaceChildren(make("div", { class: "turn" }, start), ...(main ? line(main) : []));
  const here = host.querySelector("[aria-current]");
  // Only the list scrolls, never the page.
  if (here instanceof HTMLElement) host.scrollTop = here.offsetTop - host.offsetTop - host.clientHeight / 2;
}

/** @param {number} turn @param {import("./api.js").Side | undefined} side */
function label(turn, side) {
  if (!side) return make("span", {}, "");
  return make("span", {}, `${turn}. `, make("b", { class: side }, title(side)));
}
