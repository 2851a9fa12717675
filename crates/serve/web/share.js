// The dialog with everything that can be taken along.

import { drawing, qr } from "./backend.js";
import { copy } from "./copy.js";
import { find } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./backend.js").View} View */
/** @typedef {import("./tree.js").Node} Node */

/** A record with marks and comments: the server's header, and the moves as they were noted. @param {View} view @param {Node} node */
export function record(view, node) {
  const heads = view.record.split("\n").filter((line) => line.startsWith("#"));
  const spaced = view.board.south.houses.length > 9;
  let body = "";
  const nodes = node.line.slice(0, view.moves.length + 1);
  const first = view.moves[0]?.side ?? "south";
  nodes.forEach((one, i) => {
    const played = view.moves[i - 1];
    if (played) {
      const swap = played.move === "swap";
      const end = swap ? "" : played.again ? "." : played.side === first ? "," : "\n";
      const gap = spaced && body !== "" && !body.endsWith("\n") ? " " : "";
      body += `${gap}${swap ? "x" : played.move}${one.mark}${end}`;
    }
    if (one.comment) body += `${body === "" || body.endsWith("\n") ? "" : " "}{${one.comment}} `;
  });
  return `${heads.join("\n")}\n${body}${body.endsWith("\n") ? "" : "\n"}`;
}

/** The code that puts a board into another page. @param {string} address */
export function frame(address) {
  const inside = new URL(`embed.html${new URL(address).hash}`, address);
  return `<iframe src="${inside.href.replaceAll("&", "&amp;")}" width="640" height="400" title="A board of Sowing"></iframe>`;
}

export class Sharer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = find("sharer", HTMLDialogElement);
    this.said = find("share-said", HTMLElement);
    for (const button of this.dialog.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", () => this.copy(button.getAttribute("data-copy") ?? ""));
    }
  }

  async open() {
    const { view } = this.app;
    if (!view) return;
    this.said.textContent = "";
    find("notation", HTMLElement).textContent = view.position;
    this.dialog.showModal();
    await showCode(find("share-qr", HTMLImageElement), location.href);
  }

  /** @param {string} what */
  async copy(what) {
    const { app } = this;
    const { view } = app;
    if (!view) return;
    const { line } = app.state.node;
    const whole = what === "record" ? await app.look(line[line.length - 1]) : view;
    const texts = {
      position: () => view.position,
      record: () => record(whole, app.state.node),
      kgp: () => view.kgp,
      link: () => location.href,
      embed: () => frame(location.href),
    };
    try {
      await copy(what === "svg" ? await drawing(app.query(), app.state.flip) : texts[/** @type {keyof typeof texts} */ (what)]());
      this.said.textContent = "Copied.";
    } catch (fault) {
      this.said.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  }
}

/** Shows an address as a square of dots, unless it is too long for one. @param {HTMLImageElement} picture @param {string} address */
export async function showCode(picture, address) {
  const drawn = await qr(address).catch(() => null);
  picture.hidden = drawn === null;
  if (drawn !== null) picture.src = `data:image/svg+xml,${encodeURIComponent(drawn)}`;
}
