// The keys of a page, and the list of them that "?" opens.
// @ts-check
import { byId, element } from "./dom.js";

/** @typedef {[string, string]} Key its name, and what it does */

/** Keys of every page. @type {Key[]} */
const COMMON = [
  ["?", "shows this list"],
  ["Escape", "closes it"],
  ["Tab, Shift Tab", "goes to the next control, and to the one before"],
];

/** @type {Key[]} */
const CURVE = [
  ["+, -", "on a curve: zooms in and out"],
  ["←, →", "on a curve: moves what is shown"],
  ["0", "on a curve: shows all again"],
];

/** Keys of a page. @type {Record<string, Key[]>} */
const KEYS = {
  watch: [
    ["s", "starts, pauses and goes on"],
    ["n", "goes one generation on, then pauses"],
    ["r", "restarts the same trial"],
    ["t", "runs the next trial"],
    ["f", "fills the screen, and leaves it"],
    ...CURVE,
  ],
  results: [
    ["/", "goes to the filter"],
    ["Space", "on a box: chooses the experiment"],
  ],
  experiment: [
    ["←, →", "on the slider of a replay: the improvement before, and the next"],
    ...CURVE,
  ],
  together: [],
};

/** Whether a key is meant for what is typed in. @param {KeyboardEvent} event */
function isTyped(event) {
  const target = /** @type {any} */ (event.target);
  return event.ctrlKey || event.metaKey || event.altKey || target.matches?.("input:not([type=range], [type=checkbox]), textarea, select");
}

const page = document.body.dataset.page ?? "";
const rows = [...(KEYS[page] ?? []), ...COMMON].map(([key, words]) =>
  element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, words)));
const list = element("dialog", { id: "keys", "aria-labelledby": "keys-title" },
  element("h2", { id: "keys-title" }, "Keys"), element("dl", {}, rows),
  element("form", { method: "dialog" }, element("button", { id: "keys-close" }, "Close")));
document.body.append(list);

const show = () => list.open || list.showModal();
byId("keys-open").addEventListener("click", show);
document.addEventListener("keydown", (event) => {
  if (isTyped(event)) return;
  if (event.key === "?") show();
  else if (event.key === "/" && byId("filter") && !list.open) byId("filter").focus();
  else return;
  event.preventDefault();
});
