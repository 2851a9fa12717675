// Where everything on the board lies. Lengths are in the drawing's own units.

import { key, pits } from "./pits.js";

/** @typedef {{ x: number, y: number }} Point */
/** A pit's centre and half axes, and where its count, its number or owner's name and its value stand.
 * @typedef {Point & { rx: number, ry: number, count: Point, number: Point, chip: Point, cell: Box }} Place */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** `edges`: the strips along the two rows, in the colours of their owners.
 * @typedef {{ width: number, height: number, wood: Box, edges: { near: Box, far: Box }, places: Map<string, Place>, portrait: boolean }} Layout */

/**
 * Lying: the near row below, its store to the right. Upright, for narrow screens: turned by a
 * quarter, the near row on the left and its store at the bottom. Sowing runs counter-clockwise in
 * both. `flip` puts North near.
 *
 * @param {number} houses
 * @param {{ portrait: boolean, flip: boolean }} how
 * @returns {Layout}
 */
export function layout(houses, { portrait, flip }) {
  const near = flip ? "north" : "south";
  const { place, ...shape } = portrait ? upright(houses) : lying(houses);
  const places = new Map(
    pits(houses).map((pit) => {
      const isNear = pit.side === near;
      // Along the row as seen from the near side.
      const along = pit.house === null ? null : isNear ? pit.house : houses + 1 - pit.house;
      return [key(pit), place(along, isNear)];
    }),
  );
  return { ...shape, places, portrait };
}

/** @param {number} houses */
function lying(houses) {
  const [cell, store, chips, strip] = [100, 128, 42, 40];
  const rows = [chips + strip + 54, chips + strip + 54 + 112];
  const width = 2 * store + houses * cell;
  const bottom = rows[1] + 54 + strip;
  const wood = { x: 2, y: chips, width: width - 4, height: bottom - chips };
  const edge = { x: store - 8, width: houses * cell + 16, height: 5 };
  const edges = { far: { ...edge, y: chips + 6 }, near: { ...edge, y: bottom - 11 } };
  /** @param {number | null} along @param {boolean} near @returns {Place} */
  const place = (along, near) => {
    if (along === null) {
      const x = near ? width - store / 2 - 4 : store / 2 + 4;
      const y = (rows[0] + rows[1]) / 2;
      // Name and count of a side stand together.
      const line = near ? bottom - 25 : chips + 25;
      const cellBox = { x: x - 50, y: chips, width: 100, height: bottom - chips };
      return {
        x,
        y,
        rx: 46,
        ry: 104,
        count: { x: x + 28, y: line },
        number: { x: x - 20, y: line + 1 },
        chip: { x, y: line },
        cell: cellBox,
      };
    }
    const x = store + (along - 0.5) * cell;
    const y = rows[near ? 1 : 0];
    const line = near ? bottom - 25 : chips + 25;
    return {
      x,
      y,
      rx: 44,
      ry: 50,
      count: { x, y: line },
      number: { x: x - 34, y: line + 2 },
      chip: { x, y: near ? bottom + chips / 2 : chips / 2 },
      cell: { x: x - cell / 2 + 2, y: near ? y - 54 : chips, width: cell - 4, height: 54 + 52 + strip },
    };
  };
  return { width, height: bottom + chips, wood, edges, place };
}

/** @param {number} houses */
function upright(houses) {
  const [cell, store, chips, strip, pit] = [60, 72, 64, 38, 84];
  const columns = [chips + strip + pit / 2 + 6, chips + strip + pit * 1.5 + 14];
  const right = columns[1] + pit / 2 + 6 + strip;
  const height = 2 * store + houses * cell;
  const wood = { x: chips, y: 2, width: right - chips, height: height - 4 };
  const edge = { y: store - 4, width: 5, height: houses * cell + 8 };
  const edges = { near: { ...edge, x: chips + 5 }, far: { ...edge, x: right - 10 } };
  /** @param {number | null} along @param {boolean} near @returns {Place} */
  const place = (along, near) => {
    if (along === null) {
      const x = (columns[0] + columns[1]) / 2 + (near ? 10 : -10);
      const y = near ? height - store / 2 : store / 2;
      const side = near ? chips + 31 : right - 31;
      const cellBox = { x: chips, y: y - store / 2, width: right - chips, height: store };
      return {
        x,
        y,
        rx: 80,
        ry: 28,
        count: { x: side, y: y - 9 },
        number: { x: side, y: y + 14 },
        chip: { x: side, y },
        cell: cellBox,
      };
    }
    const y = store + (along - 0.5) * cell;
    const x = columns[near ? 0 : 1];
    const line = near ? chips + 26 : right - 26;
    return {
      x,
      y,
      rx: pit / 2 - 1,
      ry: 27,
      count: { x: line, y: y - 5 },
      number: { x: line, y: y + 17 },
      chip: { x: near ? chips / 2 - 2 : right + chips / 2 + 2, y },
      cell: { x: near ? chips : x - pit / 2 - 4, y: y - cell / 2 + 1, width: strip + pit + 10, height: cell - 2 },
    };
  };
  return { width: right + chips, height, wood, edges, place };
}
