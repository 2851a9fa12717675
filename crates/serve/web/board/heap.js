// How seeds lie in a pit.

/** Seeds drawn in one pit; the others show in the number only. */
export const DRAWN = 64;

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * The places of seeds in a pit with these half axes, as offsets from its centre, and their
 * size. A seed keeps its place while the heap is small, so that a new one does not stir the others.
 *
 * @param {number} seeds
 * @param {number} rx
 * @param {number} ry
 * @param {number} turn turns the heap, so that no two pits look alike
 * @returns {{ radius: number, spots: { x: number, y: number }[] }}
 */
export function heap(seeds, rx, ry, turn) {
  const drawn = Math.min(seeds, DRAWN);
  const largest = Math.min(rx, ry) / 4.6;
  const radius = largest * Math.min(1, Math.max(0.55, Math.sqrt(18 / drawn)));
  const [inner, round] = [Math.min(rx, ry) - radius - 3, Math.max(rx, ry) / Math.min(rx, ry)];
  const spacing = Math.min(radius * 1.12, inner / Math.sqrt(Math.max(drawn, 1)));
  const spots = Array.from({ length: drawn }, (_, i) => {
    const distance = spacing * Math.sqrt(i + 0.35);
    const angle = turn + i * GOLDEN_ANGLE;
    const [x, y] = [distance * Math.cos(angle), distance * Math.sin(angle)];
    return rx > ry ? { x: x * round, y } : { x, y: y * round };
  });
  return { radius, spots };
}
