// A board inside another page. It shows and plays; the solver works only when a visitor asks for values here.

import { Analyst } from "./analysis.js";
import { explained } from "./backend.js";
import { find } from "./dom.js";
import { Table } from "./table.js";
import { standing } from "./text.js";
import { read, write } from "./url.js";
import { marks, verdict } from "./values.js";

const state = read(location.hash);
const table = new Table(find(document, "#board"), (legal) => {
  state.node = state.node.play(legal.move);
  show(true);
});
const status = find(document, "#status");
let work = new AbortController();
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
  work.abort();
  find(document, "#back", HTMLButtonElement).disabled = !state.node.parent;
  find(document, "#whole", HTMLAnchorElement).href = `./${write(state)}`;
  const fault = find(document, "#fault");
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

find(document, "#back").addEventListener("click", () => {
  state.node = state.node.parent ?? state.node;
  show(false);
});
find(document, "#values").addEventListener("click", () => {
  work.abort();
  work = new AbortController();
  void analyst.ask(query(), work.signal);
});
show(false);
