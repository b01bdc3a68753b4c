// The pictures of an experiment: drawn by the server, and drawn again when there are more trials.
// @ts-check
import { get, getText } from "./api.js";
import { element, pictureAddress, setText } from "./dom.js";

/** Pictures that are seen at once: rates, run lengths, fitness. The rest is folded. */
const OPEN = 3;

export class Pictures {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.words = element("p", { class: "faint", role: "status", id: "plots-state" });
    this.open = element("div", { class: "pictures" });
    this.folded = element("div", { class: "pictures" });
    this.more = element("details", { hidden: true }, element("summary", {}, "More pictures"), this.folded);
    this.root = element("div", { id: "plots" }, this.words, this.open, this.more);
  }

  /** Draws all; what is there stays until its successor comes. @param {boolean} finished */
  async draw(finished) {
    try {
      await this.renew(finished);
    } catch (error) {
      setText(this.words, String(/** @type {any} */ (error).message));
    }
  }

  /** @param {boolean} finished */
  async renew(finished) {
    if (this.open.children.length === 0) setText(this.words, "Drawing …");
    const names = await get(`${this.path}/plots`);
    const figures = [];
    for (const name of names) figures.push(await this.figure(name));
    this.open.replaceChildren(...figures.slice(0, OPEN));
    this.folded.replaceChildren(...figures.slice(OPEN));
    this.more.hidden = figures.length <= OPEN;
    setText(this.words, names.length === 0 ? `There is nothing to draw${finished ? "" : " yet"}.`
      : finished ? "" : "Of the trials so far. Intervals of success rates hold at every look.");
  }

  /** @param {string} name */
  async figure(name) {
    const svg = await getText(`${this.path}/plots/${encodeURIComponent(name)}`);
    const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const alt = drawn.getAttribute("aria-label") ?? `Plot: ${name.replaceAll("-", " ")}`;
    return element("figure", {}, element("img", { src: pictureAddress(svg), alt }));
  }
}
