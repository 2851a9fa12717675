// Where answers come from on a site without a server: workers of the browser's own.

export { ask, stream } from "./pool.js";
