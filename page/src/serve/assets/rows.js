// Rows of tables: their order, sortable headings, and rates as bars.
// @ts-check
import { element, number } from "./dom.js";

/** Texts with numbers in them, in the order that people expect: exp-9 before exp-48. */
const NATURAL = new Intl.Collator("en", { numeric: true });

/** The items in the order of their values; those without one come last.
 * @template T @param {T[]} items @param {(item: T) => any} value @param {boolean} descends
 * @returns {T[]} */
export function inOrder(items, value, descends) {
  const none = (/** @type {any} */ one) => one === null || one === undefined;
  const pairs = items.map((item) => /** @type {[any, T]} */ ([value(item), item]));
  pairs.sort(([a], [b]) => {
    if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
    const way = typeof a === "number" && typeof b === "number" ? a - b : NATURAL.compare(String(a), String(b));
    return descends ? -way : way;
  });
  return pairs.map(([, item]) => item);
}

/** Headings that sort. @param {[string, boolean][]} columns their words, and whether they are of
 * numbers @param {(place: number) => void} sort */
export function headings(columns, sort) {
  return columns.map(([words, numbers], place) =>
    element("th", { scope: "col", class: numbers ? "figure" : null }, element("button", { type: "button", onclick: () => sort(place) }, words)));
}

/** Says of each heading in which order its column is. @param {any[]} heads @param {number} sorted
 * @param {boolean} descends */
export function sayOrder(heads, sorted, descends) {
  heads.forEach((heading, at) =>
    heading.setAttribute("aria-sort", at === sorted ? (descends ? "descending" : "ascending") : "none"));
}

/** A rate as a bar with its interval; its text is beside it.
 * @param {number} value @param {number | null} low @param {number | null} high */
export function rateBar(value, low, high) {
  const drawn = (/** @type {string} */ name, /** @type {Record<string, any>} */ attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, text] of Object.entries(attributes)) made.setAttribute(key, String(text));
    return made;
  };
  const box = (/** @type {string} */ kind, /** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ height) =>
    drawn("rect", { class: kind, x: 100 * from, y: 5 - height / 2, width: Math.max(0.8, 100 * (to - from)), height });
  const bar = drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  bar.append(box("track", 0, 1, 4), box("share", 0, value, 4));
  if (low !== null && high !== null) bar.append(box("interval", low, high, 1.6));
  return bar;
}

/** A duration in its largest unit: 8 s, 2 min, 5 h, 3 days. @param {number} seconds */
export function about(seconds) {
  const units = /** @type {[number, string][]} */ ([[172_800, "days"], [5_400, "h"], [90, "min"]]);
  const [, unit] = units.find(([least]) => seconds >= least) ?? [0, "s"];
  const size = { days: 86_400, h: 3_600, min: 60, s: 1 }[unit] ?? 1;
  return `${number(Math.round(seconds / size))} ${unit}`;
}

/** Controls that turn pages. @param {any} place @param {number} page from 0 on @param {number} size
 * @param {number} count @param {string} words what is on them @param {(page: number) => void} go */
export function pager(place, page, size, count, words, go) {
  if (count <= size) {
    place.replaceChildren();
    return;
  }
  const focused = place.contains(document.activeElement) ? document.activeElement?.textContent : null;
  const last = Math.ceil(count / size) - 1;
  place.replaceChildren(
    element("button", { type: "button", disabled: page === 0, onclick: () => go(page - 1) }, "Before"),
    element("span", {}, `${words} ${number(page * size + 1)} to ${number(Math.min(count, (page + 1) * size))} of ${number(count)}`),
    element("button", { type: "button", disabled: page >= last, onclick: () => go(page + 1) }, "After"));
  for (const button of place.querySelectorAll("button")) if (button.textContent === focused) button.focus();
}
