// The dialog that explains the rules, the numbers and the keys.

import { rules } from "../backend.js";
import { find, make } from "../dom.js";

const MARKUP = `
<form method="dialog">
  <h2 id="keys-title">Help</h2>
  <h3>The rules</h3>
  <ol id="help-rules" class="rules"></ol>
  <h3>The numbers</h3>
  <p class="hint">
    A number on a house is what its mover ends up ahead by, when both sides play perfectly from there:
    <span class="pill win">+8</span> wins by 8, <span class="pill draw">0</span> is a draw,
    <span class="pill loss">&minus;4</span> loses by 4, <span class="pill open">&asymp; +2</span> is a guess that
    nobody has proven yet. A star marks the best. A turn <em>gives away</em> as many points as it makes this number smaller.
  </p>
  <h3>The rings</h3>
  <p class="hint">Thin and pale: where the last move ended; dotted inside: where it began. Dashed and white: where the
    last seed of the house will fall that you point at. Green: the best move.</p>
  <h3>Keys</h3>
  <dl class="keys">
    <div><dt><kbd>1</kbd> to <kbd>9</kbd></dt><dd>sow that house, counted from the mover&rsquo;s left</dd></div>
    <div><dt><kbd>&larr;</kbd> <kbd>&rarr;</kbd></dt><dd>step back and forward</dd></div>
    <div><dt><kbd>&uarr;</kbd> <kbd>&darr;</kbd></dt><dd>the other variations</dd></div>
    <div><dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>first and last position</dd></div>
    <div><dt><kbd>Space</kbd></dt><dd>play the best move</dd></div>
    <div><dt><kbd>u</kbd></dt><dd>undo: back to your last choice</dd></div>
    <div><dt><kbd>x</kbd></dt><dd>swap sides, where the rules allow it</dd></div>
    <div><dt><kbd>v</kbd> <kbd>a</kbd></dt><dd>show or hide the values, the arrows</dd></div>
    <div><dt><kbd>f</kbd></dt><dd>turn the board</dd></div>
    <div><dt><kbd>n</kbd> <kbd>e</kbd> <kbd>i</kbd></dt><dd>new game, edit the position, import</dd></div>
    <div><dt><kbd>c</kbd></dt><dd>classroom: full screen, values hidden until you show them</dd></div>
    <div><dt><kbd>?</kbd></dt><dd>this help</dd></div>
  </dl>
  <div class="row end"><button type="submit" class="main">Close</button></div>
</form>
`;

export class Help {
  /** @param {HTMLDialogElement} dialog */
  constructor(dialog) {
    this.dialog = dialog;
    dialog.insertAdjacentHTML("afterbegin", MARKUP);
  }

  /** @param {string} game */
  async open(game) {
    this.dialog.showModal();
    const told = await rules(game);
    find(this.dialog, "#help-rules").replaceChildren(...told.map((rule) => make("li", {}, rule)));
  }
}
