// The site as a program of its own: kept by the browser, and brought up to date as a whole.

import { offerMemory } from "./memory.js";
import { STAMP, VERSION } from "./version.js";

/** Where help is given, it is said what this is. @param {string} text */
function say(text) {
  const help = document.querySelector("#keys");
  if (!help) return;
  let note = help.querySelector("#site");
  if (!note) {
    note = document.createElement("p");
    note.id = "site";
    note.className = "hint";
    help.append(note);
  }
  note.textContent = `Version ${VERSION} (${STAMP}). Everything is computed in this browser. ${text}`;
}

/** Offers a new version that has arrived. @param {ServiceWorker} waiting */
function offer(waiting) {
  if (document.querySelector("#update")) return;
  const bar = document.createElement("p");
  bar.id = "update";
  bar.className = "fault";
  bar.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Reload";
  button.addEventListener("click", () => {
    // The page comes again when the new version has taken over, and not before: versions are not mixed.
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    waiting.postMessage("take over");
  });
  bar.append("A new version is here. ", button);
  document.querySelector("main")?.prepend(bar);
}

/** @param {() => void} resized what to do when another amount of memory was chosen */
export async function offline(resized) {
  offerMemory(resized);
  say("");
  try {
    const registration = await navigator.serviceWorker.register("sw.js");
    const look = () => {
      if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
    };
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", look));
    look();
    await navigator.serviceWorker.ready;
    say("It is kept here, and works without a network.");
  } catch {
    // A private window, a page that is not secure, or no room.
    say("This browser keeps nothing of it, so that it needs the network each time.");
  }
}
