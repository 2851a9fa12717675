// Soft sounds, off unless asked for.

/** @import { Motion } from "./board/board.js" */

import { keep, kept } from "./settings.js";

/** @type {AudioContext | null} */
let context = null;

export function sounds() {
  return kept("sounds") === "on";
}

/** @param {boolean} on */
export function keepSounds(on) {
  keep("sounds", on ? "on" : "off");
}

/** A seed falls, or several are taken. @param {Motion} motion */
export function tick({ kind, house }) {
  if (!sounds()) return;
  context ??= new AudioContext();
  const at = context.currentTime;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "triangle";
  tone.frequency.value =
    kind === "collect" || house === null ? 520 : kind === "capture" ? 300 : 380 + ((house ?? 0) % 8) * 14;
  volume.gain.setValueAtTime(0.05, at);
  volume.gain.exponentialRampToValueAtTime(0.0005, at + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.1);
}
