// A game's name, taken apart and put together.

/** @typedef {{ name: string, houses: number, seeds: number, options: string[] }} Parts */

/** @param {string} game @returns {Parts | null} */
export function parse(game) {
  const match = /^([a-z-]+)\((\d+),(\d+)((?:,[a-z-]+)*)\)$/.exec(game);
  if (!match) return null;
  const options = match[4].split(",").filter(Boolean);
  return { name: match[1], houses: Number(match[2]), seeds: Number(match[3]), options };
}

/** @param {Parts} parts */
export function compose({ name, houses, seeds, options }) {
  return `${name}(${[houses, seeds, ...options].join(",")})`;
}
