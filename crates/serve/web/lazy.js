// Loading parts of the page when they are needed.

/** Makes something when it is first asked for; again after a failure. @template T @param {() => Promise<T>} make */
export function once(make) {
  /** @type {Promise<T> | null} */
  let made = null;
  return () => {
    made ??= make().catch((fault) => {
      made = null;
      throw fault;
    });
    return made;
  };
}

/**
 * Calls `load` as soon as the state is one that needs it; again after a failure, when the state changes.
 *
 * @template S
 * @param {import("./store.js").Store<S, any>} store
 * @param {(state: S) => boolean} needed
 * @param {() => Promise<void>} load
 */
export function whenNeeded(store, needed, load) {
  const done = new AbortController();
  const loaded = once(load);
  const look = (/** @type {S} */ state) => {
    if (needed(state)) loaded().then(() => done.abort(), console.warn);
  };
  store.subscribe(look, done.signal);
  look(store.state);
}
