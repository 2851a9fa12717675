// A sign that the engine is on its way, for whoever waits for it.

/** How long nothing is said, in milliseconds. */
const PATIENCE = 600;

let waiting = 0;
const note = document.createElement("p");
note.className = "arriving";
note.setAttribute("role", "status");
document.body.append(note);

/** Waits for an engine, and says so when that takes long. @template T @param {Promise<T>} ready @returns {Promise<T>} */
export async function arriving(ready) {
  waiting += 1;
  const timer = setTimeout(() => (note.textContent = "The engine is on its way."), PATIENCE);
  try {
    return await ready;
  } finally {
    clearTimeout(timer);
    waiting -= 1;
    if (waiting === 0) note.textContent = "";
  }
}
