// The types of the page: those of the API, the state of the analysis board, and the actions that its parts dispatch.

import type { Known } from "./analysis.js";
import type { Choices, PlayedMove as Played, Side, View } from "./api.js";
import type { Arrow } from "./board/board.js";
import type { Store } from "./store.js";
import type { Tree } from "./tree.js";

// The API is described at /api/v1/openapi.json; api.d.ts is made from that.
export type {
  Choices,
  FairStart,
  Finding,
  Games,
  Imported,
  Legal,
  Motion,
  MoveFound,
  PlayedMove as Played,
  PlayedMoves,
  Puzzle,
  Reply,
  Review,
  ReviewedTurn,
  Rows as Seeds,
  Side,
  SolitaireView as Solitaire,
  StudyList,
  StudyTable,
  TableCell,
  View,
} from "./api.js";

/** The game that a request is about. `first` moves first. With `pass`, the position is taken as if the side to move had passed. */
export interface Query {
  game: string;
  start: string | null;
  free: boolean;
  first: Side;
  moves: string[];
  pass?: boolean;
}

/** The content of the fragment of an address. `start` is written as the side that moves first sees it. */
export interface Address {
  game: string;
  start: string | null;
  free: boolean;
  first: Side;
  /** Where in the tree of moves the visitor is. */
  node: Tree;
  flip: boolean;
  south: string;
  north: string;
}

/** The switches of the values panel. */
export interface Preferences {
  values: boolean;
  arrows: boolean;
  choices: boolean;
}

/** The findings of a review. Moves are named by the line up to them. */
export interface Findings {
  /** Points lost by the turn that a move ends. */
  losses: Map<string, number>;
  /** The ends of the worst turns. */
  worst: Set<string>;
  /** Whether there is something to practise. */
  ready: boolean;
}

/** Decides whether a move may be played while mistakes are practised. */
export interface Practising {
  judge(query: Query, move: string, again: boolean, signal: AbortSignal): Promise<boolean>;
}

export interface State extends Address {
  /** The last position that arrived, and its node. */
  view: View | null;
  shown: Tree | null;
  /** Whether the board shows the view, with no animation under way. */
  settled: boolean;
  /** The findings about the view; null before the first one. */
  known: Known | null;
  choices: Choices | null;
  arrows: Arrow[];
  /** South's margin after a line of moves. */
  values: Map<string, number>;
  /** The move that ends a line of moves. */
  played: Map<string, Played>;
  review: Findings | null;
  practice: Practising | null;
  preferences: Preferences;
  /** Counts changes of the tree: the tree itself is edited in place. */
  edits: number;
  status: string;
  announcement: string;
  fault: string | null;
  /** Nothing can be shown. */
  closed: boolean;
}

/** A wish of the visitor. The session, the evaluation and the dialogs carry it out. */
export type Intent =
  | { type: "open"; fragment: string }
  | { type: "start"; change: Partial<Address> }
  | { type: "rematch" }
  | { type: "go"; node: Tree | null | undefined; animate?: boolean }
  | { type: "play"; move: string }
  | { type: "best" }
  | { type: "undo" }
  | { type: "analyse"; line?: boolean }
  | { type: "stop" }
  | { type: "show"; part: "picker" | "editor" | "importer" | "sharer" | "help" | "classroom" | "review" | "practice" };

/** An event. The reducer makes the next state of it. */
export type Fact =
  | { type: "opened"; address: Address; fresh: boolean }
  | { type: "going"; node: Tree }
  /** `push`: the browser's Back returns to the game before. */
  | { type: "arrived"; view: View; animate: boolean; push: boolean; signal: AbortSignal }
  | { type: "settled" }
  /** A move cannot be played here. */
  | { type: "refused"; move: string }
  | { type: "played"; line: string[]; played: Played[] }
  | { type: "learned"; known: Known }
  | { type: "chosen"; choices: Choices }
  | { type: "arrow"; arrow: Arrow }
  | { type: "prefer"; name: keyof Preferences; on: boolean }
  | { type: "flip" }
  | { type: "note"; mark?: string; comment?: string }
  | { type: "promote" }
  | { type: "reviewed"; review: Findings | null; values?: Map<string, number> }
  | { type: "practice"; practice: Practising | null }
  | { type: "status"; text: string }
  | { type: "announce"; text: string }
  | { type: "failed"; fault: string | null }
  | { type: "closed" };

export type Action = Intent | Fact;

export type GameStore = Store<State, Action>;
