// The state of the analysis board: its start, its reducer, and values derived from it.

/** @import { Known } from "./analysis.js" */
/** @import { Arrow } from "./board/board.js" */
/** @import { Action, Played, Preferences, Query, Side, State, View } from "./types.js" */

import { summary } from "./text.js";
import { HUMAN, read } from "./url.js";

/** Nothing is known of any move. */
const forgotten = () => ({
  view: null,
  shown: null,
  review: null,
  practice: null,
  played: new Map(),
  values: new Map(),
});

/** @param {Preferences} preferences @returns {State} */
export function initial(preferences) {
  return {
    ...read(""),
    ...forgotten(),
    settled: false,
    known: null,
    choices: null,
    arrows: [],
    preferences,
    edits: 0,
    status: "",
    announcement: "",
    fault: null,
    closed: false,
  };
}

/** The state after an action. Only the tree of moves is edited in place. @param {State} state @param {Action} action @returns {State} */
export function reduce(state, action) {
  switch (action.type) {
    case "opened":
      return { ...state, ...(action.fresh ? forgotten() : {}), ...action.address };
    case "going":
      return { ...state, node: action.node, settled: false, arrows: [] };
    case "arrived":
      return arrived(state, action.view);
    case "settled":
      return { ...state, settled: true, values: withResult(state) };
    case "played":
      return { ...state, played: withPlayed(state, action) };
    case "learned":
      return { ...state, known: action.known, values: withKnown(state, action.known) };
    case "chosen":
      return { ...state, choices: action.choices };
    case "arrow":
      return { ...state, arrows: withArrow(state, action.arrow) };
    case "prefer":
      return preferred(state, action.name, action.on);
    case "flip":
      return { ...state, flip: !state.flip };
    case "note":
      Object.assign(state.node, {
        mark: action.mark ?? state.node.mark,
        comment: action.comment ?? state.node.comment,
      });
      return { ...state, edits: state.edits + 1 };
    case "promote":
      state.node.promote();
      return { ...state, edits: state.edits + 1 };
    case "reviewed":
      return { ...state, review: action.review, values: new Map([...state.values, ...(action.values ?? [])]) };
    case "practice":
      return { ...state, practice: action.practice };
    case "status":
      return { ...state, status: action.text };
    case "announce":
      return { ...state, announcement: action.text };
    case "failed":
      return { ...state, fault: action.fault };
    case "closed":
      return { ...state, closed: true };
    default:
      return state;
  }
}

/** @param {State} state @param {View} view @returns {State} */
function arrived(state, view) {
  const { node } = state;
  const played = view.last ? new Map(state.played).set(node.moves.join(), view.last) : state.played;
  const clear = { known: null, choices: null, arrows: [], fault: null, closed: false };
  return { ...state, ...clear, view, shown: node, played, status: summary(view) };
}

/** @param {State} state @param {{ line: string[], played: Played[] }} told */
function withPlayed(state, { line, played }) {
  const next = new Map(state.played);
  for (const [i, one] of played.entries()) next.set(line.slice(0, i + 1).join(), one);
  return next;
}

/** The best turn is drawn over the threat. @param {State} state @param {Arrow} arrow */
function withArrow({ arrows }, arrow) {
  const others = arrows.filter(({ kind }) => kind !== arrow.kind);
  return arrow.kind === "threat" ? [arrow, ...others] : [...others, arrow];
}

/** @param {State} state */
function withResult({ values, view, node }) {
  return view?.result ? new Map(values).set(node.moves.join(), view.result.margin) : values;
}

/** @param {State} state @param {Known} known */
function withKnown({ values, view, node }, { value, moves }) {
  if (!view?.to_move) return values;
  const sign = view.to_move === "south" ? 1 : -1;
  /** @type {[string, number][]} */
  const found = value === null ? [] : [[node.moves.join(), sign * value]];
  for (const one of moves) {
    if (one.value !== null) found.push([[...node.moves, one.move].join(), sign * one.value]);
  }
  return found.every(([name, margin]) => values.get(name) === margin) ? values : new Map([...values, ...found]);
}

/** @param {State} state @param {keyof Preferences} name @param {boolean} on @returns {State} */
function preferred(state, name, on) {
  const next = { ...state, preferences: { ...state.preferences, [name]: on } };
  if (name === "values") return { ...next, known: null, arrows: [] };
  if (on) return next;
  return name === "arrows" ? { ...next, arrows: [] } : { ...next, choices: null };
}

/** @param {State} state @returns {Query} */
export function queryOf({ game, start, free, first, node }, at = node) {
  return { game, start, free, first, moves: at.moves };
}

/** The player of a row. @param {State} state @param {Side} row @param {boolean} swapped */
export function playerOf({ south, north }, row, swapped) {
  return (row === "south") !== swapped ? south : north;
}

/** The machine that is to move here. Where play has gone on already, the visitor may try anything. @param {State} state */
export function machineOf(state) {
  const { view, node, practice } = state;
  if (!view?.to_move || practice || node.children.length > 0) return null;
  const player = playerOf(state, view.to_move, view.swapped);
  return player === HUMAN ? null : player;
}

/** Where the visitor chose last. @param {State} state */
export function lastChoice(state) {
  let { node } = state;
  while (node.parent) {
    const about = state.played.get(node.moves.join());
    node = node.parent;
    if (!about || playerOf(state, about.side, node.moves.includes("swap")) === HUMAN) break;
  }
  return node;
}
