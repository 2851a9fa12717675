// The site as a program of its own: kept by the browser, and brought up to date as a whole.

import { offerMemory } from "./memory.js";
import { STAMP, VERSION } from "./version.js";

const NOT_KEPT = "This browser keeps nothing of it, so that it needs the network each time.";

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

/** Offers a new version: one that has arrived, or one that has taken over, as from another tab.
 * @param {string} text @param {() => void} act */
function offer(text, act) {
  document.querySelector("#update")?.remove();
  const bar = document.createElement("p");
  bar.id = "update";
  bar.className = "fault";
  bar.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Reload";
  button.addEventListener("click", act);
  bar.append(text, " ", button);
  document.querySelector("main")?.prepend(bar);
}

/** @param {() => void} resized what to do when another amount of memory was chosen */
export async function offline(resized) {
  offerMemory(resized);
  say("");
  try {
    const registration = await navigator.serviceWorker.register("sw.js");
    const { serviceWorker } = navigator;
    let asked = false;
    const look = () => {
      const { waiting } = registration;
      if (!waiting || !serviceWorker.controller) return;
      offer("A new version is here.", () => {
        asked = true;
        waiting.postMessage("take over");
      });
    };
    // The page comes again when the new version has taken over, and not before: versions are not mixed. Who was asked in
    // another tab plays on: what this page has still to load may be gone.
    let controlled = serviceWorker.controller;
    serviceWorker.addEventListener("controllerchange", () => {
      if (asked) location.reload();
      else if (controlled) offer("This page is of an old version.", () => location.reload());
      controlled = serviceWorker.controller;
    });
    /** @param {ServiceWorker | null} coming */
    const follow = (coming) =>
      coming?.addEventListener("statechange", () => {
        look();
        if (coming.state === "redundant" && !registration.active) say(NOT_KEPT);
      });
    registration.addEventListener("updatefound", () => follow(registration.installing));
    follow(registration.installing);
    look();
    await serviceWorker.ready;
    say("It is kept here, and works without a network.");
  } catch {
    // A private window, a page that is not secure, or no room.
    say(NOT_KEPT);
  }
}
