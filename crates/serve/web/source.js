// Where answers come from: the server. A site without one has another module of this name.

export { ask, stream } from "./server.js";
