// Finding and making elements.

/**
 * The element with this id, which must be there.
 *
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`the page has no ${type.name} named ${id}`);
}

/** @typedef {Record<string, string | number | boolean | null>} Attributes */

/** @param {Element} element @param {Attributes} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {(Element | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {(Element | string)[]} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

/** @param {string} text @param {() => void} act @param {Attributes} [attributes] */
export function button(text, act, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
}
