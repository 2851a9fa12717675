// Answers of the API for tests that have no server.

/** @import { View } from "../crates/serve/web/types.js" */

/** A view of Kalah(4,3) at its start, with changes. @param {object} [change] @returns {View} */
export function view(change = {}) {
  const row = () => ({ houses: [3, 3, 3, 3], store: 0 });
  const start = {
    game: "kalah(4,3)",
    position: "3,3,3,3,0|3,3,3,3,0",
    kgp: "<4,0,0,3,3,3,3,3,3,3,3>",
    board: { south: row(), north: row() },
    to_move: "south",
    swapped: false,
    legal: [],
    last: null,
    motions: null,
    finished: false,
    endless: false,
    result: null,
  };
  return /** @type {View} */ (/** @type {unknown} */ ({ ...start, ...change }));
}
