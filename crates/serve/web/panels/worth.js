// The values of the position and its moves.

/** @import { Known } from "../analysis.js" */
/** @import { Choices, MoveFound, State } from "../types.js" */

import { best, telling } from "../analysis.js";
import { button, make } from "../dom.js";
import { outcome, range, standing, turn } from "../text.js";
import { bestTurn, colour, figure, progress, verdict } from "../values.js";
import { Panel } from "./panel.js";

export class WorthPanel extends Panel {
  mount() {
    this.clicks({
      "#cancel": () => ({ type: "stop" }),
      "#go-on": () => ({ type: "analyse" }),
      "#line": () => ({ type: "analyse", line: true }),
    });
    this.preference("#show-values", "values");
    this.preference("#show-arrows", "arrows");
    this.preference("#show-choices", "choices");
    this.watch(["view", "settled", "known", "choices", "preferences"], (state) => this.draw(state));
  }

  /** @param {State} state */
  draw({ view, settled, known, choices, preferences }) {
    const mover = view?.to_move;
    if (!known || !mover || !preferences.values) return this.clear(settled && view?.result ? standing(view) : "");
    this.find("#verdict").textContent = verdict(known, mover);
    this.find("#best-turn").textContent = bestTurn(known, mover);
    this.find("#progress").textContent = progress(known);
    const working = known.status === "working" || known.status === "waiting";
    this.find("#cancel").hidden = !working;
    this.find("#go-on").hidden = working || known.complete;
    this.find("#line").hidden = known.value === null;
    const tops = best(known);
    this.find("#worths").replaceChildren(...known.moves.map((move) => this.row(known, move, tops, choices)));
    this.drawLine(known.line ?? null);
  }

  /** @param {string} text the verdict */
  clear(text) {
    for (const part of ["#best-turn", "#progress", "#worths", "#perfect-line"]) this.find(part).replaceChildren();
    for (const part of ["#cancel", "#go-on", "#line"]) this.find(part).hidden = true;
    this.find("#verdict").textContent = text;
  }

  /** @param {Known} known @param {MoveFound} move @param {string[]} tops @param {Choices | null} choices */
  row(known, move, tops, choices) {
    const name = move.move === "swap" ? "Swap sides" : `House ${move.move}`;
    const isBest = tops.includes(move.move);
    const item = button("", () => this.dispatch({ type: "play", move: move.move }), {
      "data-move": move.move,
      class: isBest ? "best" : null,
    });
    const words = move.value === null ? "" : outcome(move.value);
    item.append(
      make("span", { class: `pill ${colour(move)}` }, isBest ? `\u2605 ${figure(move)}` : figure(move)),
      make("span", {}, name),
    );
    const proven = move.value === null ? telling(known, move.move) : null;
    const notes = [words, proven ? `proven ${range(...proven)}` : "", move.again ? "moves again" : ""].filter(Boolean);
    item.append(make("span", { class: "note" }, notes.join(", ")));
    if (choices) item.append(bars(move.move, choices));
    return make("li", {}, item);
  }

  /** A perfect continuation, turn by turn. @param {string[][] | null} line */
  drawLine(line) {
    const host = this.find("#perfect-line");
    host.hidden = !line;
    const turns = (line ?? []).map((moves, i, all) => {
      const upTo = all.slice(0, i + 1).flat();
      return make(
        "li",
        {},
        button(turn(moves), () => this.follow(upTo)),
      );
    });
    host.replaceChildren(...turns);
  }

  /** Plays a move, or goes to the end of a line from here. @param {string[]} moves */
  follow(moves) {
    if (moves.length === 1) this.dispatch({ type: "play", move: moves[0] });
    else this.dispatch({ type: "go", node: this.store.state.node.follow(moves) });
  }
}

/** How often each level plays a move, as nine bars. @param {string} move @param {Choices} choices */
function bars(move, { levels }) {
  const chances = levels.map(({ level, moves }) => ({
    level,
    chance: moves.find((one) => one.move === move)?.chance ?? 0,
  }));
  const said = chances.map(({ level, chance }) => `level ${level} ${Math.round(100 * chance)} %`).join(", ");
  const host = make("span", { class: "bars", role: "img", "aria-label": `Played by ${said}`, title: said });
  for (const { chance } of chances) {
    const bar = make("i");
    bar.style.height = `${Math.max(6, Math.round(100 * chance))}%`;
    host.append(bar);
  }
  return host;
}
