// A store: a state, its reducer and its listeners.

/**
 * @template S
 * @template {{ type: string }} A
 */
export class Store {
  /** @param {(state: S, action: A) => S} reduce @param {S} state */
  constructor(reduce, state) {
    this.reduce = reduce;
    this.state = state;
    /** @type {Set<(state: S, action: A) => void>} */
    this.listeners = new Set();
    /** @type {A[]} */
    this.queue = [];
  }

  /** Every listener hears of an action before any hears of the next: those dispatched by a listener wait. @param {A} action */
  dispatch(action) {
    this.queue.push(action);
    if (this.queue.length > 1) return;
    try {
      for (const next of this.queue) {
        this.state = this.reduce(this.state, next);
        for (const listener of [...this.listeners]) {
          if (this.listeners.has(listener)) listener(this.state, next);
        }
      }
    } finally {
      this.queue = [];
    }
  }

  /** Calls a listener after every action, until the signal is aborted. @param {(state: S, action: A) => void} listener @param {AbortSignal} signal */
  subscribe(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener), { once: true });
  }

  /**
   * Calls `draw` now, and after every action that makes one of these fields another.
   *
   * @param {(keyof S)[]} fields
   * @param {(state: S) => void} draw
   * @param {AbortSignal} signal
   */
  watch(fields, draw, signal) {
    let seen = this.state;
    this.subscribe((state) => {
      const before = seen;
      seen = state;
      if (fields.some((field) => state[field] !== before[field])) draw(state);
    }, signal);
    draw(seen);
  }

  /** Waits for the next action of one of these types. @param {string[]} types @returns {Promise<void>} */
  next(...types) {
    const found = new AbortController();
    return new Promise((resolve) => {
      this.subscribe((_, { type }) => {
        if (!types.includes(type)) return;
        found.abort();
        resolve();
      }, found.signal);
    });
  }
}
