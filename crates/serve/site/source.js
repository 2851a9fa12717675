// The source of responses on a site without a server: the browser's workers.

export { ask, stream } from "./pool.js";
