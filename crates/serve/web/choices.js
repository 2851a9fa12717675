// The houses that can be sown, with their labels.

/** @import { View } from "./types.js" */
/** @import { Choice } from "./board/board.js" */

import { count, landing, title } from "./text.js";

/** @param {View} view @param {(move: string) => string[]} [more] more parts of a move's label @returns {Choice[]} */
export function choices(view, more = () => []) {
  const side = view.to_move;
  if (!side) return [];
  return view.legal.flatMap((legal) => {
    if (!legal.lands) return [];
    const house = Number(legal.move);
    const seeds = count(view.board[side].houses[house - 1], "seed");
    const label = [`${title(side)} house ${house}`, seeds, landing(legal, side), ...more(legal.move)].join(", ");
    return [{ pit: { side, house }, label, lands: legal.lands }];
  });
}
