// "Find the better move": one's own mistakes, played again.

/** @import { Known } from "../analysis.js" */
/** @import { Query, ReviewedTurn } from "../types.js" */

import { solve } from "../analysis.js";
import { button, make } from "../dom.js";
import { count, name, turn as spell, title } from "../text.js";

/** How long a move is looked at that the review knows nothing of, in milliseconds. */
const PATIENCE = 6_000;

/** The points that a move is proven to give away; `exactly` unless it may be more. Null if it is not known whether it gives away anything.
 * @param {Known} known @param {string} move @returns {{ lost: number, exactly: boolean } | null} */
export function givenAway({ value, moves }, move) {
  const found = moves.find((one) => one.move === move);
  if (value === null || !found) return null;
  if (found.value !== null) return { lost: value - found.value, exactly: true };
  const most = found.bounds?.[1] ?? Infinity;
  return most < value ? { lost: value - most, exactly: false } : null;
}

export class Practice {
  /**
   * @param {HTMLElement} host
   * @param {ReviewedTurn[]} turns
   * @param {(turn: ReviewedTurn) => void} show shows the position before a turn
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
    this.say(
      `Turn ${turn}: ${title(side)} played ${spell(moves)} and gave away ${count(lost ?? 0, "point")}. Find a better turn.`,
    );
    this.show(this.turn);
  }

  /** @param {string} text */
  say(text) {
    const last = this.at + 1 >= this.turns.length;
    const next = () => {
      this.at += 1;
      this.pose();
    };
    this.host.hidden = false;
    this.host.replaceChildren(
      make("p", { role: "status" }, text),
      make(
        "div",
        { class: "row" },
        ...(this.solved ? [] : [button("Show me", () => this.reveal())]),
        button(last ? "Finish" : "Next", next),
        ...(last ? [] : [button("Stop", () => this.ended())]),
      ),
    );
  }

  reveal() {
    this.solved = true;
    this.say(this.turn.best ? `Best was ${spell(this.turn.best)}.` : "The best turn was not found in time.");
  }

  /**
   * Judges a move before it is played: by the review where it knows, else by the solver.
   *
   * @param {Query} query the position it is played in
   * @param {string} move
   * @param {boolean} again whether the turn goes on after it
   * @param {AbortSignal} signal aborted when another position is shown
   * @returns {Promise<boolean>} whether it may be played
   */
  async judge(query, move, again, signal) {
    if (this.solved) return true;
    const { best, ply } = this.turn;
    const soFar = query.moves.slice(ply);
    const known = best && soFar.every((one, i) => one === best[i]) && best[soFar.length] === move;
    if (known) {
      this.solved = soFar.length + 1 === best.length;
      this.say(
        this.solved ? `${name(move)} it is: that loses nothing.` : `${name(move)} is right, and you move again.`,
      );
      return true;
    }
    this.say(`Looking at house ${move}\u2026`);
    const found = await solve(query, (known) => givenAway(known, move) !== null, { time: PATIENCE, signal });
    if (signal.aborted) return false;
    const away = givenAway(found, move);
    if (away === null) {
      this.say(
        `${name(move)} is not the turn that the review found. Whether it is as good could not be proven quickly: try another.`,
      );
      return false;
    }
    if (away.lost > 0) {
      this.say(`${name(move)} gives away ${away.exactly ? "" : "at least "}${count(away.lost, "point")}. Try another.`);
      return false;
    }
    this.solved = !again;
    this.say(again ? `${name(move)} is right, and you move again.` : `${name(move)} it is: that loses nothing.`);
    return true;
  }
}
