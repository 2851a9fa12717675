// Where a move began and ended.

/** @import { View } from "./types.js" */
/** @import { Pit } from "./board/board.js" */

/** @param {View} view @returns {{ origin: Pit | null, landed: Pit | null }} */
export function ends({ motions }) {
  const first = motions?.find(({ kind }) => kind === "pickup");
  const last = motions?.findLast(({ kind }) => kind === "sow");
  const pit = (/** @type {typeof first} */ motion) => (motion ? { side: motion.side, house: motion.house } : null);
  return { origin: pit(first), landed: pit(last) };
}
