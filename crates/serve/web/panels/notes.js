// A mark and a comment on the move that is shown.

import { Panel } from "./panel.js";

export class NotesPanel extends Panel {
  mount() {
    const { store } = this;
    const comment = this.find("#comment", HTMLInputElement);
    this.listen(comment, "change", () =>
      this.dispatch({ type: "note", comment: comment.value.trim().replace(/[{}]/g, "") }),
    );
    const marks = /** @type {const} */ ([
      ["#good", "!"],
      ["#bad", "?"],
    ]);
    for (const [selector, mark] of marks) {
      this.clicks({ [selector]: () => ({ type: "note", mark: store.state.node.mark === mark ? "" : mark }) });
    }
    this.watch(["shown", "edits"], ({ view, node }) => {
      if (!view) return;
      comment.value = node.comment;
      for (const [selector, mark] of marks) {
        const button = this.find(selector, HTMLButtonElement);
        button.setAttribute("aria-pressed", String(node.mark === mark));
        button.disabled = !node.parent;
      }
    });
  }
}
