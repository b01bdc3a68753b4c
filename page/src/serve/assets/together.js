// Several experiments together: two compared arm by arm, and the arms of all ranked.
// @ts-check
import { address, post } from "./api.js";
import { reportTables } from "./comparison.js";
import { byId, element, pictureAddress } from "./dom.js";

/** What the reader should know of the results. @param {string[]} all */
function remarks(all) {
  return all.map((words) => element("p", { class: "remark" }, words));
}

/** A part of the page, or why there is none. @param {string} id @param {string} title
 * @param {any} found */
function part(id, title, found) {
  const words = found.error ? [element("p", {}, found.error)]
    : found.answer.map((/** @type {string} */ line) => element("p", { class: "answer" }, line));
  const chart = found.chart ? element("div", { class: "pictures" },
    element("figure", {}, element("img", { src: pictureAddress(found.chart), alt: `${title} as a diagram; the tables have its numbers` }))) : "";
  return element("section", { class: "keep", id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), words, remarks(found.remarks), chart, found.error ? [] : reportTables(found));
}

/** @param {any} root @param {string[]} names */
async function begin(root, names) {
  const links = names.map((name) => element("li", {}, element("a", { href: address(`/results/${encodeURIComponent(name)}`) }, name)));
  const state = element("p", { role: "status", id: "together-state" }, "Reading …");
  root.replaceChildren(element("ul", {}, links), state);
  try {
    const { remarks: ofAll, comparison, ranking } = await post("/api/together", { names });
    state.replaceWith(...remarks(ofAll));
    if (comparison) root.append(part("compared", `${names[0]} compared with ${names[1]}`, comparison));
    root.append(part("ranked", "Ranks of the arms over all problems", ranking));
  } catch (error) {
    state.replaceWith(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
  }
}

begin(byId("together"), new URLSearchParams(location.search).getAll("of"));
