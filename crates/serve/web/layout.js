// Where everything on the board lies. Lengths are in the drawing's own units.

import { key, pits } from "./pits.js";

/** @typedef {import("./pits.js").Pit} Pit */
/** @typedef {{ x: number, y: number }} Point */
/** A pit's centre and half axes, and where its count, its house number and its value stand.
 * @typedef {Point & { rx: number, ry: number, count: Point, number: Point, chip: Point, cell: Box }} Place */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ width: number, height: number, wood: Box, places: Map<string, Place>, portrait: boolean }} Layout */

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
  const shape = portrait ? upright(houses) : lying(houses);
  const places = new Map(
    pits(houses).map((pit) => {
      const isNear = pit.side === near;
      // Along the row as seen from the near side.
      const along = pit.house === null ? null : isNear ? pit.house : houses + 1 - pit.house;
      return [key(pit), shape.place(along, isNear)];
    }),
  );
  return { width: shape.width, height: shape.height, wood: shape.wood, places, portrait };
}

/** @param {number} houses */
function lying(houses) {
  const [cell, store, chips, strip] = [100, 124, 46, 40];
  const rows = [chips + strip + 52, chips + strip + 52 + 112];
  const width = 2 * store + houses * cell;
  const bottom = rows[1] + 52 + strip;
  const wood = { x: 2, y: chips, width: width - 4, height: bottom - chips };
  /** @param {number | null} along @param {boolean} near @returns {Place} */
  const place = (along, near) => {
    if (along === null) {
      const x = near ? width - store / 2 - 2 : store / 2 + 2;
      const y = (rows[0] + rows[1]) / 2;
      const count = { x, y: near ? bottom - 22 : chips + 22 };
      const cellBox = { x: x - 50, y: chips, width: 100, height: bottom - chips };
      const number = { x, y: near ? chips + 22 : bottom - 22 };
      return { x, y, rx: 44, ry: 104, count, number, chip: count, cell: cellBox };
    }
    const x = store + (along - 0.5) * cell;
    const y = rows[near ? 1 : 0];
    const edge = near ? bottom - 21 : chips + 21;
    return {
      x,
      y,
      rx: 44,
      ry: 50,
      count: { x, y: edge },
      number: { x: x - 34, y: edge },
      chip: { x, y: near ? bottom + chips / 2 : chips / 2 },
      cell: { x: x - cell / 2 + 2, y: near ? y - 54 : chips, width: cell - 4, height: 54 + 50 + strip },
    };
  };
  return { width, height: bottom + chips, wood, place };
}

/** @param {number} houses */
function upright(houses) {
  const [cell, store, chips, strip, pit] = [60, 72, 64, 34, 84];
  const columns = [chips + strip + pit / 2 + 6, chips + strip + pit * 1.5 + 14];
  const right = columns[1] + pit / 2 + 6 + strip;
  const height = 2 * store + houses * cell;
  const wood = { x: chips, y: 2, width: right - chips, height: height - 4 };
  /** @param {number | null} along @param {boolean} near @returns {Place} */
  const place = (along, near) => {
    if (along === null) {
      const x = (columns[0] + columns[1]) / 2;
      const y = near ? height - store / 2 : store / 2;
      const count = { x: near ? chips + 18 : right - 18, y };
      const number = { x: near ? right + 30 : chips - 30, y };
      const cellBox = { x: chips, y: y - store / 2, width: right - chips, height: store };
      return { x, y, rx: 82, ry: 28, count, number, chip: count, cell: cellBox };
    }
    const y = store + (along - 0.5) * cell;
    const x = columns[near ? 0 : 1];
    const edge = near ? chips + 19 : right - 19;
    return {
      x,
      y,
      rx: pit / 2 - 1,
      ry: 27,
      count: { x: edge, y: y - 3 },
      number: { x: edge + (near ? -7 : 7), y: y + 19 },
      chip: { x: near ? chips / 2 - 2 : right + chips / 2 + 2, y },
      cell: { x: near ? chips : x - pit / 2 - 4, y: y - cell / 2 + 1, width: strip + pit + 10, height: cell - 2 },
    };
  };
  return { width: right + chips, height, wood, place };
}
