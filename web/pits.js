// Which pit is meant, and what lies in it.

/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./api.js").Seeds} Seeds */
/** @typedef {import("./api.js").Step} Step */

/** A house, or the store where the house is null. @typedef {{ side: Side, house: number | null }} Pit */

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
 * What a step changes: seeds leave `from` and reach `to`; null is the mover's hand.
 *
 * @param {Step} step
 * @param {Side} mover
 * @returns {{ from: Pit | null, to: Pit | null, seeds: number }}
 */
export function flight({ kind, side, house, seeds }, mover) {
  const pit = { side, house };
  switch (kind) {
    case "pickup":
      return { from: pit, to: null, seeds };
    case "sow":
      return { from: null, to: pit, seeds };
    case "capture":
      return { from: pit, to: { side: mover, house: null }, seeds };
    case "collect":
      return { from: pit, to: { side, house: null }, seeds };
  }
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
