// Parts of the page that are shown when they are asked for: dialogs, the review, the classroom.

/** @import { Address, GameStore, Intent } from "./types.js" */

import { fair, games, imported, position, rules } from "./backend.js";
import { find } from "./dom.js";
import { parse } from "./game.js";
import { once } from "./lazy.js";
import { Tree } from "./tree.js";
import { HUMAN } from "./url.js";

export class Parts {
  /** @param {ParentNode} root @param {GameStore} store */
  constructor(root, store) {
    this.store = store;
    const dialog = (/** @type {string} */ selector) => find(root, selector, HTMLDialogElement);
    this.help = once(async () => {
      const { Help } = await import("./panels/help.js");
      return new Help(dialog("#keys"));
    });
    this.editor = once(async () => {
      const { Editor } = await import("./panels/editor.js");
      return new Editor(dialog("#editor"), async (setup) => {
        // The dialog shows the fault of a bad position, and nothing changes.
        await position({ game: store.state.game, ...setup, moves: [] });
        await this.start(setup);
      });
    });
    this.picker = once(async () => {
      const { Picker } = await import("./panels/picker.js");
      return new Picker(dialog("#picker"), await games(), { rules, fair }, (choice) => {
        const { south, north } = choice;
        store.dispatch({ type: "start", change: { ...choice, flip: south !== HUMAN && north === HUMAN } });
        // A visitor who plays would rather think first; the values are one click away.
        store.dispatch({ type: "prefer", name: "values", on: south === HUMAN && north === HUMAN });
      });
    });
    this.importer = once(async () => {
      const { Importer } = await import("./panels/importer.js");
      return new Importer(dialog("#importer"), (text) => this.take(text));
    });
    this.sharer = once(async () => {
      const { SharePanel } = await import("./panels/share.js");
      return new SharePanel(dialog("#sharer"), store);
    });
    this.classroom = once(async () => {
      const { ClassroomPanel } = await import("./panels/classroom.js");
      return new ClassroomPanel(find(root, "#class-tools"), store);
    });
    this.review = once(async () => {
      const { ReviewPanel } = await import("./panels/review.js");
      return new ReviewPanel(find(root, "#report"), store, find(root, "#coach"));
    });
  }

  /** @param {Extract<Intent, { type: "show" }>["part"]} part */
  async show(part) {
    switch (part) {
      case "picker":
        return (await this.picker()).open(this.store.state);
      case "editor":
        return this.edit();
      case "importer":
        return (await this.importer()).open();
      case "sharer":
        return (await this.sharer()).open();
      case "help":
        return (await this.help()).open(this.store.state.game);
      case "classroom":
        return (await this.classroom()).enter();
      case "review":
        return (await this.review()).start();
      case "practice":
        return (await this.review()).practise();
    }
  }

  async edit() {
    const { view, free } = this.store.state;
    if (!view) return;
    const houses = view.board.south.houses.length;
    const wanted = 2 * houses * (parse(view.game)?.seeds ?? 0);
    (await this.editor()).open(view.board, view.to_move ?? "south", wanted, free);
  }

  /** Opens a pasted text: a link, or a text for the API to read. @param {string} text */
  async take(text) {
    const link = text.indexOf("#game=");
    if (link >= 0) return this.arrive({ type: "open", fragment: text.slice(link).trim() });
    const { notes, moves, ...found } = await imported(text, this.store.state.game);
    const tree = Tree.fromLines([moves]);
    for (const { ply, mark, comment } of notes) Object.assign(tree.follow(moves.slice(0, ply)), { mark, comment });
    await this.start({ ...found, south: HUMAN, north: HUMAN, node: tree.follow(moves) });
  }

  /** @param {Partial<Address>} change */
  async start(change) {
    await this.arrive({ type: "start", change });
  }

  /** Waits until the position of an action is shown. @param {Intent} action */
  async arrive(action) {
    const shown = this.store.next("settled", "failed");
    this.store.dispatch(action);
    await shown;
  }
}
