// The source of responses: the server. A site without one has another module of this name.

export { ask, stream } from "./server.js";
