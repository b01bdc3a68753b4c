// Searches side by side: which arms they are, and the axes that their curves share.
// @ts-check
import { element, number } from "./dom.js";
import { MOST_SETS } from "./rivals.js";

/** @typedef {import("./lane.js").Lane} Lane */

/** The choice between all arms side by side and one alone; none with a single arm.
 * @param {any[]} arms of the plan, as many as are described @param {number} count of all
 * @param {number | null} alone @param {(place: number | null) => void} choose */
export function armChoice(arms, count, alone, choose) {
  if (count < 2) return [];
  const words = count > MOST_SETS ? `the first ${MOST_SETS} of ${number(count)}, side by side` : `all ${count}, side by side`;
  const options = arms.map((one, place) => element("option", { value: String(place), selected: place === alone }, one.label));
  const change = (/** @type {any} */ { target: { value } }) => choose(value === "" ? null : Number(value));
  return [
    element("label", { for: "watched" }, "Watched"),
    element("select", { id: "watched", onchange: change }, element("option", { value: "" }, words), options)];
}

/** Gives all curves the same axes, and each the others as faint curves. @param {Lane[]} lanes */
export function shareAxes(lanes) {
  const seen = lanes.filter((lane) => lane.frame !== null);
  const ranges = seen.map(({ curve }) => curve.range(curve.whole));
  const most = Math.max(...lanes.map(({ success }) => success.most));
  const common = seen.length === 0 ? null : {
    right: Math.max(...seen.map((lane) => lane.curve.reach)),
    low: Math.min(...ranges.map(([low]) => low)),
    high: Math.max(...ranges.map(([, high]) => high)),
  };
  for (const { curve, success } of lanes) {
    curve.common = common;
    success.common = most;
    curve.rivals = seen.filter((one) => one.curve !== curve).map((one) => ({ points: one.curve.whole, shade: one.curve.shade }));
  }
}

/** A search as far as it is seen. @param {Lane} lane @returns {import("./ahead.js").Course} */
export function courseOf({ label, curve, frame }) {
  return { label, points: curve.points, now: frame.now, ending: frame.ending };
}
