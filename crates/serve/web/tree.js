// The moves played and all variations tried.

/** A move and everything played after it. The root is the start, with no move. */
export class Tree {
  /** @param {string} move @param {Tree | null} parent */
  constructor(move, parent) {
    this.move = move;
    this.parent = parent;
    /** The first child continues the main line. @type {Tree[]} */
    this.children = [];
    /** `!` for a good move, `?` for a bad one. */
    this.mark = "";
    this.comment = "";
  }

  /** The root of a tree with these lines, the main line first. @param {string[][]} lines */
  static fromLines(lines) {
    const root = new Tree("", null);
    for (const line of lines) root.follow(line);
    return root;
  }

  /** The moves that lead here. @returns {string[]} */
  get moves() {
    return this.parent ? [...this.parent.moves, this.move] : [];
  }

  /** The child with this move, made if there is none. @param {string} move */
  play(move) {
    const known = this.children.find((child) => child.move === move);
    if (known) return known;
    const child = new Tree(move, this);
    this.children.push(child);
    return child;
  }

  /** Plays several moves. @param {string[]} moves @returns {Tree} */
  follow(moves) {
    return moves.reduce((node, move) => node.play(move), /** @type {Tree} */ (this));
  }

  /** The root and every node down to the end of the main line from here. @returns {Tree[]} */
  get line() {
    const nodes = [];
    for (let node = /** @type {Tree | null} */ (this); node; node = node.parent) nodes.unshift(node);
    for (let node = this.children[0]; node; node = node.children[0]) nodes.push(node);
    return nodes;
  }

  /** The next sibling in this direction, round the corner. @param {1 | -1} step @returns {Tree} */
  sibling(step) {
    const siblings = this.parent?.children ?? [this];
    return siblings[(siblings.indexOf(this) + step + siblings.length) % siblings.length];
  }

  /** Makes this the main line at every fork above it. */
  promote() {
    for (let node = /** @type {Tree} */ (this); node.parent; node = node.parent) {
      const siblings = node.parent.children;
      siblings.unshift(...siblings.splice(siblings.indexOf(node), 1));
    }
  }

  /** Cuts this move and all after it off. @returns {Tree} where it was played */
  remove() {
    if (!this.parent) return this;
    this.parent.children = this.parent.children.filter((child) => child !== this);
    return this.parent;
  }

  /** Every way from here to an end, the main line first. @returns {string[][]} */
  get lines() {
    if (this.children.length === 0) return [[]];
    return this.children.flatMap((child) => child.lines.map((line) => [child.move, ...line]));
  }

  /** This and all after it that something was noted of. @returns {Tree[]} */
  get noted() {
    const own = this.mark || this.comment ? [/** @type {Tree} */ (this)] : [];
    return [...own, ...this.children.flatMap((child) => child.noted)];
  }
}

/** @param {Tree} node */
export function rootOf(node) {
  while (node.parent) node = node.parent;
  return node;
}
