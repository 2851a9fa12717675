// Preferences and achievements of the visitor, kept in the browser. Without storage the page works all the same.

/** @import { Preferences } from "./types.js" */

/** Milliseconds a seed takes to the next pit. */
export const PACES = { slow: 520, normal: 210, fast: 80, off: 0 };

/** @typedef {keyof typeof PACES} Pace */

/** @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} text */
export function keep(name, text) {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // A private window, or no room.
  }
}

/** @returns {Preferences} */
export function preferences() {
  return { values: kept("values") !== "off", arrows: kept("arrows") === "on", choices: kept("choices") === "on" };
}

/** @returns {Pace} */
export function pace() {
  const name = kept("pace");
  return name && name in PACES ? /** @type {Pace} */ (name) : "normal";
}

/** Milliseconds for each step of an animation. @param {number} steps */
export function stepTime(steps) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  const longest = 12_000;
  return Math.min(PACES[pace()], longest / Math.max(steps, 1));
}
