// Keys that work anywhere on the page but in fields and dialogs.

/** @typedef {Record<string, () => void>} Keys */

/** Two digits within this time are one number, on boards with ten houses or more. */
const DIGIT_PAUSE = 600;

/**
 * @param {Keys} keys
 * @param {(house: number) => void} sow
 * @param {() => number} houses
 */
export function listen(keys, sow, houses) {
  let typed = "";
  let timer = 0;
  const flush = () => {
    clearTimeout(timer);
    const house = Number(typed);
    typed = "";
    if (house > 0) sow(house);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target instanceof Element ? event.target : document.body;
    // Right after a dialog is closed, a field of it may still have the focus.
    if (target.closest("input, select, textarea") && !target.closest("dialog")) return;
    // On a control, the space bar and the enter key are the control's.
    if ((event.key === " " || event.key === "Enter") && target.closest("button, a, summary")) return;
    if (/^\d$/.test(event.key)) {
      event.preventDefault();
      typed += event.key;
      if (Number(typed) * 10 > houses()) return flush();
      clearTimeout(timer);
      timer = window.setTimeout(flush, DIGIT_PAUSE);
      return;
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
