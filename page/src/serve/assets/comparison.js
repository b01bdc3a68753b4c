// The comparison of arms: each pair with its difference and verdict.
// @ts-check
import { element, rate } from "./dom.js";

const WORDS = ["first", "second", "difference of success rates", "95 % interval", "verdict"];
/** Whether a column is of numbers. */
const FIGURES = [false, false, true, true, false];

/** A table of comparisons. @param {{ pairs: any[], legend: string }} compared */
export function comparisonTable({ pairs, legend }) {
  const of = (/** @type {number} */ at) => ({ class: FIGURES[at] ? "figure" : null });
  const rows = pairs.map((/** @type {any} */ one) => {
    const texts = [one.second, `${one.difference < 0 ? "" : "+"}${rate(one.difference)}`, `${rate(one.low)} to ${rate(one.high)}`, one.verdict];
    return element("tr", {}, element("th", { scope: "row" }, one.first), texts.map((text, at) => element("td", of(at + 1), text)));
  });
  const heads = WORDS.map((text, at) => element("th", { scope: "col", ...of(at) }, text));
  return [
    element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Comparisons" },
      element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))),
    element("details", {}, element("summary", {}, "How this was calculated"), element("p", { class: "help" }, legend))];
}
