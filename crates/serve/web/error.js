// Errors of the API, from a server or from a worker.

/** An error of the API. A status of 0 means that there was no response. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message @param {string | null} example @param {number} retryAfter @param {number | null} [legal] */
  constructor(status, message, example, retryAfter, legal = null) {
    super(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}`);
    /** How many moves of the line can be played, if one cannot. */
    this.legal = legal;
    this.status = status;
    /** A correct example, if a parameter was wrong. */
    this.example = example;
    /** Seconds to wait before the next attempt. */
    this.retryAfter = retryAfter;
  }
}
