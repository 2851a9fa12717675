// Finding and making elements.

import { make } from "./board/dom.js";

/** @import { Attributes } from "./board/dom.js" */

export { draw, make, set } from "./board/dom.js";

/**
 * The first element in a root that matches a selector. It must be there.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type]
 * @returns {T}
 */
export function find(root, selector, type) {
  const wanted = type ?? HTMLElement;
  const element = root.querySelector(selector);
  if (element instanceof wanted) return /** @type {T} */ (element);
  throw new Error(`the page has no ${wanted.name} at ${selector}`);
}

/** @param {string} text @param {() => void} act @param {Attributes} [attributes] */
export function button(text, act, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
}
