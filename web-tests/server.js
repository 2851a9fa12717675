// A `sow serve` for the tests, and `sow` itself to compare with.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { host } from "./site.js";

const SOW = process.env.SOW ?? new URL("../target/debug/sow", import.meta.url).pathname;

/** The objects that `sow` prints. @param {string[]} args @returns {any[]} */
export function said(...args) {
  const text = execFileSync(SOW, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The last object that `sow` prints. @param {string[]} args @returns {any} */
export function sow(...args) {
  return said(...args).pop();
}

/** Starts a server on a free port; where SOW_SITE names the folder of a site, a host of that instead. @param {string[]} args @returns {Promise<{ address: string, stop: () => Promise<void> }>} */
export async function serve(...args) {
  if (process.env.SOW_SITE) return host(process.env.SOW_SITE);
  // Tables of whoever runs the tests must not decide how long they take.
  const data = mkdtempSync(join(tmpdir(), "sow-"));
  const child = spawn(SOW, ["serve", "--port", "0", ...args], { env: { ...process.env, SOW_DATA: data } });
  const ended = new Promise((done) => child.once("close", done));
  let said = "";
  const address = await new Promise((found, failed) => {
    const listen = (/** @type {Buffer} */ chunk) => {
      said += chunk;
      const match = /http:\/\/[^\s/]+/.exec(said);
      if (match) found(match[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", failed);
    ended.then(() => failed(new Error(`sow serve ended: ${said}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(data, { recursive: true });
  };
  return { address, stop };
}
