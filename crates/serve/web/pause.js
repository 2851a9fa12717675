// Waiting that can be cut short.

/** Waits until the time is up or the signal is aborted. @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
export function pause(milliseconds, signal) {
  return new Promise((resume) => {
    if (signal.aborted) return resume();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resume();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
}
