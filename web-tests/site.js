// A site without a server: the folder that `sow site` writes, on a plain file server under a path of its own.

import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** The path of the site on its host: not the root, as with most hosts. */
export const UNDER = "/games/sowing";

const KINDS = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/**
 * Serves a folder's files as they are, and knows what was asked.
 *
 * @param {string} folder
 * @param {(path: string) => unknown} [before] called before each answer; the file is not there if it says false
 * @param {boolean} [short] whether learn.html is called learn, as many hosts have it
 */
export async function host(folder, before = () => {}, short = false) {
  /** @type {string[]} */
  const asked = [];
  let sent = 0;
  const server = createServer(async (request, answer) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname);
    asked.push(path);
    const there = (await before(path)) !== false;
    const inside = path.startsWith(`${UNDER}/`) ? normalize(path.slice(UNDER.length + 1) || "index.html") : "..";
    if (short && path.endsWith(".html")) {
      answer.writeHead(308, { Location: path.replace(/(index)?\.html$/, "") }).end();
      return;
    }
    try {
      if (!there) throw new Error("not there");
      if (inside.startsWith("..")) throw new Error("outside");
      const file = join(folder, short && !inside.includes(".") ? `${inside}.html` : inside);
      if (!statSync(file).isFile()) throw new Error("a folder");
      const bytes = readFileSync(file);
      sent += bytes.length;
      // Like many hosts, it does not know what wasm is.
      answer.setHeader(
        "Content-Type",
        /** @type {Record<string, string>} */ (KINDS)[extname(file)] ?? "application/octet-stream",
      );
      answer.end(bytes);
    } catch {
      answer.statusCode = 404;
      answer.end("not found");
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { address: `http://127.0.0.1:${port}${UNDER}`, asked, sent: () => sent, stop };
}
