// Keeps the site: all files of one version, each checked, or none. What stands before this line names them.

/* global SITE */

const scope = /** @type {any} */ (self).registration.scope;
const prefix = `sowing ${scope} `;
const name = `${prefix}${SITE.stamp}`;

/** @param {ArrayBuffer} bytes */
async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Cache} cache @param {string} path @param {string} hash */
async function bring(cache, path, hash) {
  const address = new URL(path, scope);
  const answer = await fetch(address, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${path} is not there`);
  const bytes = await answer.arrayBuffer();
  // A file of another version, as of a host that is being updated: this version is not taken then.
  if ((await digest(bytes)) !== hash) throw new Error(`${path} is of another version`);
  // Without its way here: hosts that send learn.html on to learn are many, and browsers show no page that was sent on.
  const kind = answer.headers.get("Content-Type");
  await cache.put(address, new Response(bytes, { headers: kind ? { "Content-Type": kind } : {} }));
}

async function install() {
  const cache = await caches.open(name);
  try {
    await Promise.all(Object.entries(SITE.files).map(([path, hash]) => bring(cache, path, hash)));
  } catch (fault) {
    await caches.delete(name);
    throw fault;
  }
}

async function clear() {
  const old = (await caches.keys()).filter((one) => one.startsWith(prefix) && one !== name);
  await Promise.all(old.map((one) => caches.delete(one)));
}

/** @param {Request} request */
async function answer(request) {
  const address = new URL(request.url);
  address.search = "";
  address.hash = "";
  if (address.href === scope) address.pathname += "index.html";
  const cache = await caches.open(name);
  return (await cache.match(address)) ?? (await cache.match(`${address}.html`)) ?? fetch(request);
}

self.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
self.addEventListener("activate", (/** @type {any} */ event) =>
  event.waitUntil(clear().then(() => /** @type {any} */ (self).clients.claim())),
);
self.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "take over") /** @type {any} */ (self).skipWaiting();
});
self.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(scope)) event.respondWith(answer(event.request));
});
