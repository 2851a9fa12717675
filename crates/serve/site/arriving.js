// A note that the engine is on its way.

/** The note comes after this long, in milliseconds. */
const DELAY = 600;

let waiting = 0;
const note = document.createElement("p");
note.className = "arriving";
note.setAttribute("role", "status");
document.body.append(note);

/** Waits for an engine, with the note if that takes long. @template T @param {Promise<T>} ready @returns {Promise<T>} */
export async function arriving(ready) {
  waiting += 1;
  const timer = setTimeout(() => (note.textContent = "The engine is on its way."), DELAY);
  try {
    return await ready;
  } finally {
    clearTimeout(timer);
    waiting -= 1;
    if (waiting === 0) note.textContent = "";
  }
}
