// What a visitor prefers, kept in the browser.

/** Milliseconds a seed takes to the next pit. */
export const PACES = { slow: 520, normal: 210, fast: 80, off: 0 };

/** @typedef {keyof typeof PACES} Pace */

/** @returns {Pace} */
export function pace() {
  const kept = localStorage.getItem("pace");
  return kept && kept in PACES ? /** @type {Pace} */ (kept) : "normal";
}

/** @param {string} name */
export function keepPace(name) {
  localStorage.setItem("pace", name);
}

/** Milliseconds for each of so many steps. @param {number} steps */
export function stepTime(steps) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  const longest = 12_000;
  return Math.min(PACES[pace()], longest / Math.max(steps, 1));
}
