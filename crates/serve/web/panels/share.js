// The dialog with everything that can be taken along.

/** @import { Tree } from "../tree.js" */
/** @import { GameStore, Played, Seeds } from "../types.js" */

import * as backend from "../backend.js";
import { copy } from "../copy.js";
import { queryOf } from "../state.js";
import { Panel } from "./panel.js";

/** A record with marks and comments: the server's header, and the moves as they were noted. @param {{ record: string, moves: Played[], board: Seeds }} game @param {Tree} node */
export function record({ record, moves, board }, node) {
  const heads = record.split("\n").filter((line) => line.startsWith("#"));
  const spaced = board.south.houses.length > 9;
  let body = "";
  const nodes = node.line.slice(0, moves.length + 1);
  const first = moves[0]?.side ?? "south";
  nodes.forEach((one, i) => {
    const played = moves[i - 1];
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

const MARKUP = `
<form method="dialog">
  <h2 id="sharer-title">Share</h2>
  <p class="notation"><code id="notation"></code></p>
  <div class="copies">
    <button type="button" data-copy="link"><b>Link</b><small>to this game, with all variations</small></button>
    <button type="button" data-copy="position"><b>Position</b><small>as text</small></button>
    <button type="button" data-copy="record"><b>Record</b><small>the game with its comments</small></button>
    <button type="button" data-copy="svg"><b>Picture</b><small>the board as SVG</small></button>
    <button type="button" data-copy="embed"><b>Frame</b><small>this board inside another page</small></button>
    <button type="button" data-copy="kgp"><b>Protocol literal</b><small>for programs: the Kalah Game Protocol</small></button>
  </div>
  <img id="share-qr" alt="The link as a QR code" width="200" height="200" hidden />
  <p id="share-said" class="hint" role="status"></p>
  <div class="row end"><button type="submit" class="main">Close</button></div>
</form>
`;

export class SharePanel extends Panel {
  /** @param {HTMLDialogElement} root @param {GameStore} store */
  constructor(root, store) {
    super(root, store);
    this.dialog = root;
    root.innerHTML = MARKUP;
    this.said = this.find("#share-said");
    for (const button of root.querySelectorAll("[data-copy]")) {
      this.listen(button, "click", () => this.copy(button.getAttribute("data-copy") ?? ""));
    }
  }

  async open() {
    const { view } = this.store.state;
    if (!view) return;
    this.said.textContent = "";
    this.find("#notation").textContent = view.position;
    this.dialog.showModal();
    await showCode(this.find("#share-qr", HTMLImageElement), location.href);
  }

  /** @param {string} what */
  async copy(what) {
    try {
      await copy(await this.text(what));
      this.said.textContent = "Copied.";
    } catch (fault) {
      this.said.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  }

  /** @param {string} what */
  async text(what) {
    const { state } = this.store;
    const { view, node, flip } = state;
    if (!view) return "";
    switch (what) {
      case "position":
        return view.position;
      case "kgp":
        return view.kgp;
      case "record": {
        const whole = await backend.record(queryOf(state, node.line.at(-1)));
        return record({ ...whole, board: view.board }, node);
      }
      case "svg":
        return backend.drawing(queryOf(state), flip);
      case "embed":
        return frame(location.href);
      default:
        return location.href;
    }
  }
}

/** Shows an address as a square of dots, unless it is too long for one. @param {HTMLImageElement} picture @param {string} address */
export async function showCode(picture, address) {
  const drawn = await backend.qr(address).catch(() => null);
  picture.hidden = drawn === null;
  if (drawn !== null) picture.src = `data:image/svg+xml,${encodeURIComponent(drawn)}`;
}
