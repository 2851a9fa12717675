// Compiles only if the board is what its published types say.

import type * as published from "../crates/serve/web/board/board.js";
import type { Board as Declared, key as declaredKey, pits as declaredPits } from "../crates/serve/web/board/board.js";
import { key, pits } from "../crates/serve/web/board/pits.js";
import { Board } from "../crates/serve/web/board/widget.js";
import type { Motion, Seeds, Side } from "../crates/serve/web/types.js";

export const board: typeof Declared = Board;
export const functions: { key: typeof declaredKey; pits: typeof declaredPits } = { key, pits };

/** What the API sends can be shown and animated. */
export const sent = (motion: Motion, seeds: Seeds, side: Side): [published.Motion, published.Seeds, published.Side] => [
  motion,
  seeds,
  side,
];
