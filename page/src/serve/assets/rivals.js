// Rivals: operator sets that could stand beside those that are there.
// @ts-check
import { copyOf } from "./toml.js";

/** Operator sets that run side by side at most. */
export const MOST_SETS = 6;
/** Sizes of tournaments that differ enough to be seen. */
const SIZES = [2, 3, 5, 8];

/** Operator sets unlike those that are there, the likeliest to fit first: the first set with another
 * selection, then the presets. @param {any[]} sets @param {any[]} presets */
export function rivalsOf(sets, presets) {
  const { scaling, ...rest } = copyOf(sets[0]);
  const kind = rest.algorithm?.kind ?? rest.algorithm ?? "evolutionary";
  const tournaments = kind === "evolutionary" ? SIZES.map((size) => ({
    ...copyOf(rest), name: `tournament of ${size}`, selection: { kind: "tournament", size },
  })) : [];
  const text = (/** @type {any} */ { name, ...operators }) => JSON.stringify(operators);
  const isNew = (/** @type {any} */ one) =>
    sets.every((set) => set.name !== one.name && text(set) !== text(one));
  return [...tournaments, ...presets].filter(isNew);
}
