// Sows any house of South round the board: no captures, no turns. The rules are yours to add.

import { Board, pits } from "sowing-board";

const HOUSES = 6;
const row = () => ({ houses: Array(HOUSES).fill(4), store: 0 });
const start = () => ({ south: row(), north: row() });
const status = document.querySelector("#status");

/** South's houses and store, then North's houses: the way that South sows. */
const round = pits(HOUSES).filter(({ side, house }) => side === "south" || house !== null);

let seeds = start();
const board = new Board(document.querySelector("#board"), { chosen: ({ house }) => sow(house) });

function show() {
  const choices = seeds.south.houses.flatMap((count, slot) => {
    if (count === 0) return [];
    const lands = round[(slot + count) % round.length];
    return [{ pit: { side: "south", house: slot + 1 }, label: `South house ${slot + 1}, ${count} seeds`, lands }];
  });
  board.set({ seeds, mover: "south", choices });
}

/** @param {number} house */
async function sow(house) {
  const count = seeds.south.houses[house - 1];
  const drops = Array.from({ length: count }, (_, i) => round[(house + i) % round.length]);
  const motions = [
    { kind: "pickup", side: "south", house, seeds: count },
    ...drops.map((pit) => ({ kind: "sow", ...pit, seeds: 1 })),
  ];
  board.set({ choices: [] });
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
  const after = await board.animate(motions, pace);
  if (!after) return;
  seeds = after;
  status.textContent = `House ${house} is sown.`;
  show();
}

document.querySelector("#reset").addEventListener("click", () => {
  seeds = start();
  status.textContent = "Choose a house of South.";
  show();
});
show();
