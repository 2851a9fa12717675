// The values used last, up to a number of them.

/** @template T */
export class Recent {
  /** @param {number} most */
  constructor(most) {
    this.most = most;
    /** The longest unused first. @type {Map<string, T>} */
    this.all = new Map();
  }

  /** @param {string} name @returns {T | undefined} */
  get(name) {
    const found = this.all.get(name);
    if (found === undefined) return undefined;
    this.all.delete(name);
    this.all.set(name, found);
    return found;
  }

  /** @param {string} name @param {T} value */
  set(name, value) {
    this.all.delete(name);
    this.all.set(name, value);
    for (const old of this.all.keys()) {
      if (this.all.size <= this.most) return;
      this.all.delete(old);
    }
  }
}
