// Responses from the server: the one module that sends requests.

import { ApiError } from "./error.js";
import { parseEvents } from "./events.js";

const ROOT = "api/v1/";

/** Shows the server that its own page sends the request: a page of another site cannot. */
const HEADERS = { "Sowing-Page": "1" };

/** @param {string} path @param {URLSearchParams} query @param {AbortSignal} [signal] */
async function answer(path, query, signal) {
  const response = await fetch(`${ROOT}${path}?${query}`, { signal, headers: HEADERS }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server cannot be reached. Is it still running?", null, 3);
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const message = body?.error?.message ?? `the server answered ${response.status}`;
  const wait = Number(response.headers.get("Retry-After")) || 1;
  throw new ApiError(response.status, message, body?.error?.example ?? null, wait, body?.error?.legal ?? null);
}

/** One response. @param {string} path @param {URLSearchParams} query @param {AbortSignal} [signal] @returns {Promise<string>} */
export async function ask(path, query, signal) {
  return (await answer(path, query, signal)).text();
}

/**
 * Reads a stream of events until it ends or is aborted; aborting stops the server's work.
 *
 * @param {"analysis" | "review"} path
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} receive
 */
export async function stream(path, query, signal, receive) {
  const response = await answer(path, query, signal);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parsed = parseEvents(rest + value);
    rest = parsed.rest;
    for (const { name, data } of parsed.events) {
      const body = JSON.parse(data);
      if (name === "failed") throw new ApiError(500, body.error.message, body.error.example, 0);
      receive(name, body);
    }
  }
}
