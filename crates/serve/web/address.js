// The address bar, and the game that was left last.

/** @import { GameStore, State } from "./types.js" */

import { keep, kept } from "./settings.js";
import { write } from "./url.js";

/** The last game is kept, so that nothing is lost with the tab. */
const LAST = "last game";

/** Actions that change the address. */
const CHANGES = ["arrived", "flip", "note", "promote"];

/** The address of the game that was left last. */
export function leftGame() {
  return kept(LAST);
}

/**
 * Keeps the address bar up to date until the signal is aborted. Moves and steps write over it, so that Back leaves the
 * game, and nothing newer is lost by it.
 *
 * @param {GameStore} store
 * @param {AbortSignal} signal
 */
export function keepAddress(store, signal) {
  store.subscribe((state, action) => {
    if (CHANGES.includes(action.type)) record(state, action.type === "arrived" && action.push);
  }, signal);
}

/** @param {State} state @param {boolean} push */
function record(state, push) {
  const address = write(state);
  if (address === location.hash) return;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  keep(LAST, address);
}
