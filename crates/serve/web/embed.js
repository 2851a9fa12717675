// A board inside another page. It shows and plays; the solver works only when somebody asks for values here.

import { explained } from "./backend.js";
import { Analyst } from "./analysis.js";
import { find } from "./dom.js";
import { Table } from "./table.js";
import { read, write } from "./url.js";
import { standing } from "./words.js";
import { marks, verdict } from "./values.js";

const state = read(location.hash);
const table = new Table(find("board", HTMLElement), (legal) => {
  state.node = state.node.play(legal.move);
  show(true);
});
const status = find("status", HTMLElement);
const analyst = new Analyst((known) => {
  const mover = table.view?.to_move;
  if (!mover) return;
  table.board.set({ marks: marks(known, mover) });
  status.textContent = verdict(known, mover);
});

function query() {
  const { game, start, free, first, node } = state;
  return { game, start, free, first, moves: node.moves };
}

/** @param {boolean} animate */
async function show(animate) {
  analyst.stop();
  find("back", HTMLButtonElement).disabled = !state.node.parent;
  find("whole", HTMLAnchorElement).href = `./${write(state)}`;
  const fault = find("fault", HTMLElement);
  try {
    table.board.set({ flip: state.flip });
    const view = await table.show(query(), { animate });
    if (view) status.textContent = standing(view);
    fault.hidden = true;
  } catch (reason) {
    fault.textContent = explained(reason);
    fault.hidden = false;
  }
}

find("back", HTMLElement).addEventListener("click", () => {
  state.node = state.node.parent ?? state.node;
  show(false);
});
find("values", HTMLElement).addEventListener("click", () => analyst.ask(query()));
show(false);
