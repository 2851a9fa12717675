// Messages for screen readers.

import { find } from "./dom.js";

/** @param {string} text */
export function announce(text) {
  find(document, "#announcer").textContent = text;
}
