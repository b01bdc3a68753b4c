// Comparisons of arms as tables, in the columns of `runner compare` and `runner rank`.
// @ts-check
import { element } from "./dom.js";

/** @typedef {{ label: string, columns: [string, boolean][], rows: string[][] }} ReportTable */

/** @param {ReportTable} table */
function reportTable({ label, columns, rows }) {
  const kind = (/** @type {number} */ at) => ({ class: columns[at][1] ? "figure" : null });
  const heads = columns.map(([words], at) => element("th", { scope: "col", ...kind(at) }, words));
  const line = (/** @type {string[]} */ texts) => element("tr", {}, texts.map((text, at) =>
    (at === 0 ? element("th", { scope: "row" }, text) : element("td", kind(at), text))));
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": label },
    element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows.map(line))));
}

/** The tables of a comparison or a ranking: the first is open. @param {{ tables: ReportTable[], legend: string }} found */
export function reportTables({ tables: [first, ...others], legend }) {
  return [
    reportTable(first),
    ...others.map((table) => element("details", {}, element("summary", {}, table.label), reportTable(table))),
    element("details", {}, element("summary", {}, "How this was calculated"), element("p", { class: "help" }, legend))];
}
