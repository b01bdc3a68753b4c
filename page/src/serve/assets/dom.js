// Elements: made, found and filled in.
// @ts-check

/**
 * An element. `attributes`: strings are set, functions named `on…` listen, `true` sets an empty
 * attribute; null, undefined and false are left out.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined | (Node | string)[])} children
 * @returns {any}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  const given = children.flat().filter((child) => child !== null && child !== undefined);
  made.append(...given.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/** A text in which control characters, and those that set the direction of writing, are shown as
 * their code, such as \u202e: a plugin may put them anywhere. @param {string} text */
function visible(text) {
  const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  return text.replace(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An element of the page. @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id);
}

/** Sets a text, if it is another one: nothing moves where nothing changed.
 * @param {any} node @param {string} text */
export function setText(node, text) {
  const shown = visible(String(text ?? ""));
  if (node.textContent !== shown) node.textContent = shown;
}

/** A count with its noun: 1 trial, 1,200 trials. @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const SMALL = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });
const LARGE = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** Numbers for readers: 1,234,567; 0.000123; −5. @param {number | null | undefined} value */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "none";
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : "minus infinite";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3);
  return (size < 10 ? SMALL : LARGE).format(value);
}

/** A figure as the terminal and the report show it: 9,266; 2.135; 1.2e-7. @param {number | null | undefined} value */
export function real(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return number(value);
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 0.001)) return value.toExponential(1).replace("e+", "e");
  const digits = size >= 100 ? 0 : 3;
  return Number(fixed(value, digits)).toLocaleString("en", { maximumFractionDigits: digits });
}

/** A number with so many decimals. Of two that are as near, the even one, as in the terminal:
 * `toFixed` takes the larger. @param {number} value @param {number} digits */
function fixed(value, digits) {
  const least = value * 10 ** digits;
  // Only a number of few binary digits is exactly between two of few decimal ones.
  const isTie = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(least % 1) === 0.5;
  return (isTie ? (2 * Math.round(least / 2)) / 10 ** digits : value).toFixed(digits);
}

/** Where a trial succeeded, and how far it went: a generation is evaluated to its end.
 * @param {{ evaluations: number, evaluations_to_success: number | null }} ending */
export function successWords({ evaluations, evaluations_to_success: found }) {
  return `Success at evaluation ${number(found)}; ${number(evaluations)} evaluated in all.`;
}

/** The violation of a best genome that is infeasible. @param {{ violation: number | null }} ending */
export function violationWords({ violation }) {
  return violation ? `, violation ${number(violation)}` : "";
}

/** A share as a rate with three digits, or as many as tell it from 0 and 1. @param {number | null | undefined} value */
export function rate(value) {
  if (value === null || value === undefined) return "none";
  const ends = [0, 1].filter((end) => end !== value);
  const digits = [3, 4, 5, 6, 7, 8, 9].find((digits) => ends.every((end) => fixed(value, digits) !== end.toFixed(digits)));
  return fixed(value, digits ?? 3);
}

/** Shows a genome as the plugin draws it: its picture, else its text.
 * @param {any} place
 * @param {{ svg: string | null, text: string | null, line: string }} board
 * @param {string} words what the picture is */
export function showBoard(place, board, words) {
  place.classList.toggle("drawn", board.svg !== null);
  if (board.svg) {
    const image = place.querySelector("img") ?? element("img", { width: "360", height: "360" });
    image.src = pictureAddress(board.svg);
    image.alt = `${words}: ${board.line}`;
    if (!image.isConnected) place.replaceChildren(image);
  } else {
    const text = place.querySelector("pre") ?? element("pre", { tabindex: "0" });
    setText(text, board.text ?? board.line);
    if (!text.isConnected) place.replaceChildren(text);
  }
}

/** A picture from a plugin's SVG: as an image, so that nothing in it runs.
 * @param {string} svg */
export function pictureAddress(svg) {
  return "data:image/svg+xml," + encodeURIComponent(svg);
}
