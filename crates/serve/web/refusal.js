// What is refused, by a server or by the worker in its place.

/** What was refused, in the words of who refused it. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {string | null} example @param {number} retryAfter @param {number | null} [legal] */
  constructor(status, message, example, retryAfter, legal = null) {
    super(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}`);
    /** How many moves of the line can be played, where one cannot. */
    this.legal = legal;
    this.status = status;
    /** What would be right, if something was written wrongly. */
    this.example = example;
    this.retryAfter = retryAfter;
  }
}
