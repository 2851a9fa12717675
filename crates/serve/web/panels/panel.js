// The base of all panels.

/** @import { Action, GameStore, State } from "../types.js" */

import { find } from "../dom.js";

/** A part of the page: it draws the state within its root, and dispatches actions. */
export class Panel {
  /** @param {HTMLElement} root @param {GameStore} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    /** Aborted by `destroy`: everything that the panel listens to ends with it. */
    this.life = new AbortController();
    this.mount();
  }

  /** Where a panel begins to watch and to listen. */
  mount() {}

  /** @template {Element} [T=HTMLElement] @param {string} selector @param {new () => T} [type] @returns {T} */
  find(selector, type) {
    return find(this.root, selector, type);
  }

  /** @param {Action} action */
  dispatch(action) {
    this.store.dispatch(action);
  }

  /** Draws now, and whenever one of these fields is another. @param {(keyof State)[]} fields @param {(state: State) => void} draw */
  watch(fields, draw) {
    this.store.watch(fields, draw, this.life.signal);
  }

  /** @param {EventTarget} target @param {string} type @param {(event: Event) => void} act */
  listen(target, type, act) {
    target.addEventListener(type, act, { signal: this.life.signal });
  }

  /** Dispatches an action on a click. @param {Record<string, () => Action>} actions by selector */
  clicks(actions) {
    for (const [selector, action] of Object.entries(actions))
      this.listen(this.find(selector), "click", () => this.dispatch(action()));
  }

  /** A checkbox that shows and sets a preference. @param {string} selector @param {keyof State["preferences"]} name */
  preference(selector, name) {
    const box = this.find(selector, HTMLInputElement);
    this.watch(["preferences"], ({ preferences }) => (box.checked = preferences[name]));
    this.listen(box, "input", () => this.dispatch({ type: "prefer", name, on: box.checked }));
  }

  destroy() {
    this.life.abort();
  }
}
