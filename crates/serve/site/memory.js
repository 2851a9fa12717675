// How much memory the workers may take, all together.

import { keep, kept } from "./settings.js";

/** In megabytes. */
export const CHOICES = [128, 256, 512, 1024, 2048];

const USUAL = 256;

/** In bytes. */
export function memory() {
  const chosen = Number(kept("memory"));
  return (CHOICES.includes(chosen) ? chosen : USUAL) * 2 ** 20;
}

/** A choice among the settings of a page that has some. @param {() => void} changed */
export function offerMemory(changed) {
  const pace = document.querySelector("#more .pace");
  if (!pace) return;
  const select = document.createElement("select");
  select.id = "memory";
  for (const choice of CHOICES)
    select.append(new Option(choice < 1024 ? `${choice} MB` : `${choice / 1024} GB`, String(choice)));
  select.value = String(memory() / 2 ** 20);
  select.addEventListener("input", () => {
    keep("memory", select.value);
    changed();
  });
  const label = document.createElement("label");
  label.className = "pace";
  label.append("Memory ", select);
  pace.after(label);
}
