// The board of a sowing game: it draws a position, reports which house was chosen and animates a list of motions.
// It knows no rules.

export type Side = "south" | "north";

/** A house, counted from 1 from its owner's left; the store where the house is null. */
export interface Pit {
  side: Side;
  house: number | null;
}

/** The seeds of one side. */
export interface Row {
  houses: number[];
  store: number;
}

/** Both rows have the same number of houses. */
export interface Seeds {
  south: Row;
  north: Row;
}

/**
 * One step of a move. `pickup` and `capture` take seeds out of a pit into the hand; `sow` puts some down in a pit, and
 * `collect` puts the captured ones into the side's store.
 */
export interface Motion {
  kind: "pickup" | "sow" | "capture" | "collect";
  side: Side;
  house: number | null;
  seeds: number;
}

/** A mark beside a house. */
export interface Mark {
  text: string;
  tone: "win" | "draw" | "loss" | "open";
  best: boolean;
}

/** A house that can be chosen: its label for screen readers, and the pit that lights up while it is pointed at. */
export interface Choice {
  pit: Pit;
  label: string;
  lands: Pit;
}

/** An arrow through these pits, with its point at the last one. */
export interface Arrow {
  kind: "best" | "threat";
  path: Pit[];
}

export interface Config {
  /** Nothing is drawn until there are seeds. */
  seeds: Seeds | null;
  /** Puts North near. */
  flip: boolean;
  /** The side whose row is lit. */
  mover: Side | null;
  choices: Choice[];
  /** By the {@link key} of a house. */
  marks: Map<string, Mark>;
  /** Where the last move ended. */
  landed: Pit | null;
  /** Where the last move began. */
  origin: Pit | null;
  arrows: Arrow[];
  /** A house among the choices was clicked. */
  chosen: (pit: Pit) => void;
  /** A house among the choices is pointed at; null when it no longer is. */
  aimed: (pit: Pit | null) => void;
  /** A motion of an animation happens. */
  dropped: (motion: Motion) => void;
}

export class Board {
  /** Fills the host, whose other children are removed. */
  constructor(host: HTMLElement, config?: Partial<Config>);

  /** The present configuration. Change it with {@link set}. */
  readonly config: Readonly<Config>;

  /** Shows this. Fields that are left out stay as they are. */
  set(change: Partial<Config>): void;

  /**
   * Animates motions from the seeds that are drawn, with `pace` milliseconds for each; 0 shows the end at once.
   *
   * @returns the seeds afterwards; null if the board was set to other seeds meanwhile
   */
  animate(motions: Motion[], pace: number): Promise<Seeds | null>;

  /** Lets a running animation end at once. */
  hurry(): void;

  /** Shows that a house cannot be chosen now. */
  refuse(pit: Pit): void;

  /** Whether the seeds as drawn are these. */
  holds(seeds: Seeds): boolean;

  /** Empties the host and ends every animation and observer. */
  destroy(): void;
}

/** The name of a pit, as in `south 3` or `north store`. */
export function key(pit: Pit): string;

/** All pits of a board with this number of houses on each side. */
export function pits(houses: number): Pit[];
