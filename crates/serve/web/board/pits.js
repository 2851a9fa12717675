// Pits, and the seeds in them.

/** @import { Motion, Pit, Seeds, Side } from "./board.js" */

/** @param {Pit} pit */
export function key({ side, house }) {
  return `${side} ${house ?? "store"}`;
}

/** Every pit of a board. @param {number} houses @returns {Pit[]} */
export function pits(houses) {
  const sides = /** @type {Side[]} */ (["south", "north"]);
  const numbers = [...Array(houses).keys()].map((slot) => slot + 1);
  return sides.flatMap((side) => [...numbers, null].map((house) => ({ side, house })));
}

/** @param {Seeds} seeds @param {Pit} pit */
export function seedsIn(seeds, { side, house }) {
  return house === null ? seeds[side].store : seeds[side].houses[house - 1];
}

/**
 * Where the hand is in a motion, and how many seeds it puts down there; below 0: takes up.
 *
 * @param {Motion} motion
 * @returns {{ pit: Pit, gain: number }}
 */
export function effect({ kind, side, house, seeds }) {
  const takes = kind === "pickup" || kind === "capture";
  return { pit: { side, house: kind === "collect" ? null : house }, gain: takes ? -seeds : seeds };
}

/** @param {Seeds} seeds @param {Pit} pit @param {number} change @returns {Seeds} */
export function changed(seeds, { side, house }, change) {
  const row = seeds[side];
  const houses = row.houses.map((n, slot) => (slot + 1 === house ? n + change : n));
  return { ...seeds, [side]: { houses, store: house === null ? row.store + change : row.store } };
}

/** @param {Seeds} one @param {Seeds} two */
export function same(one, two) {
  return pits(one.south.houses.length).every((pit) => seedsIn(one, pit) === seedsIn(two, pit));
}
