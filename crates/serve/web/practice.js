// "Find the better move": one's own mistakes, played again.

import { solve } from "./analysis.js";
import { button, make } from "./dom.js";
import { count, title, turn as spell } from "./words.js";

/** @typedef {import("./review.js").Turn} Turn */
/** @typedef {import("./api.js").Query} Query */

export class Practice {
  /**
   * @param {HTMLElement} host
   * @param {Turn[]} turns
   * @param {(turn: Turn) => void} show shows the position before a turn
   * @param {() => void} ended
   */
  constructor(host, turns, show, ended) {
    this.host = host;
    this.turns = turns;
    this.show = show;
    this.ended = ended;
    this.at = 0;
    this.solved = false;
  }

  get turn() {
    return this.turns[this.at];
  }

  pose() {
    this.solved = false;
    if (!this.turn) return this.ended();
    const { turn, side, moves, lost } = this.turn;
    this.say(`Turn ${turn}: ${title(side)} played ${spell(moves)} and lost ${count(lost ?? 0, "seed")}. Find a better turn.`);
    this.show(this.turn);
  }

  /** @param {string} text */
  say(text) {
    const last = this.at + 1 >= this.turns.length;
    const next = () => {
      this.at += 1;
      this.pose();
    };
    this.host.replaceChildren(
      make(
        "div",
        { class: "practice", role: "status" },
        make("p", {}, text),
        make(
          "div",
          { class: "row" },
          ...(this.solved ? [] : [button("Show me", () => this.reveal())]),
          button(last ? "Finish" : "Next", next),
          ...(last ? [] : [button("Stop", () => this.ended())]),
        ),
      ),
    );
  }

  reveal() {
    this.solved = true;
    this.say(this.turn.best ? `Best was ${spell(this.turn.best)}.` : "The best turn was not found in time.");
  }

  /**
   * Judges a move before it is played.
   *
   * @param {Query} query the position it is played in
   * @param {string} move
   * @param {boolean} again whether the turn goes on after it
   * @returns {Promise<boolean>} whether it may be played
   */
  async judge(query, move, again) {
    if (this.solved) return true;
    const known = await solve(query);
    const worth = known.moves.find((one) => one.move === move)?.value ?? null;
    const top = known.value ?? known.moves[0]?.value ?? null;
    if (worth === null || top === null) {
      this.say("This position could not be solved in time.");
      return true;
    }
    if (worth < top) {
      this.say(`House ${move} gives away ${count(top - worth, "seed")}. Try another.`);
      return false;
    }
    this.solved = !again;
    this.say(again ? `House ${move} is right, and you move again.` : `House ${move} it is: that loses nothing.`);
    return true;
  }
}
