// Putting text on the clipboard.

import { make } from "./dom.js";

/** @param {string} text */
export async function copy(text) {
  // Pages that do not come from this machine or over TLS have no clipboard of their own.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make("textarea", { readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
