// The page of an experiment: its arms, live while it runs; comparison, pictures, report, replays.
// @ts-check
import { addressOf, keep } from "./address.js";
import { BROKEN, address, follow, get, getText } from "./api.js";
import { byId, element, number, pictureAddress, rate, setText } from "./dom.js";
import { Replay } from "./replay.js";

/** Arms that are shown at a time. */
const SHOWN = 100;

/** Columns of figures: words, and the value. @type {[string, (arm: any) => any, (value: any) => string][]} */
const FIGURES = [
  ["trials", (arm) => arm.trials, number],
  ["successes", (arm) => arm.successes, number],
  ["success rate", (arm) => arm.rate, rate],
  ["from", (arm) => arm.low, rate],
  ["to", (arm) => arm.high, rate],
  ["expected evaluations", (arm) => arm.ert, (value) => (value === null ? "none" : number(Math.round(value)))],
  ["best fitness", (arm) => arm.best, number],
  ["median fitness", (arm) => arm.median, number],
  ["failed", (arm) => arm.failures, number],
];

/** What the words of the page mean, for who meets them here first. */
const WORDS = [
  ["arm", "an operator set on a problem, with one value of each swept key; a row of the table."],
  ["success rate", "the share of trials that reached the target; from and to are its 95 % interval."],
  ["expected evaluations", "the evaluations of all trials, those without success too, for each success; also called expected running time, ERT."],
  ["best fitness", "the best that any trial of the arm reached; fitness is minimised."],
  ["median fitness", "the median of the best that each trial reached."],
];

class Experiment {
  /** @param {any} root @param {string} name */
  constructor(root, name) {
    this.root = root;
    this.name = name;
    this.path = `/api/experiments/${encodeURIComponent(name)}`;
    this.order = { column: -1, descends: false };
    this.page = 0;
    this.built = "";
    this.state = element("p", { class: "state", role: "status", id: "experiment-state" });
    this.head = element("tr", {});
    this.body = element("tbody", { id: "arms" });
    this.pages = element("div", { class: "controls" });
    this.comparison = element("div", { id: "comparison" }, element("button", { type: "button", id: "compare", onclick: () => this.compare() }, "Compare the arms"));
    this.plots = element("div", { id: "plots" }, element("button", { type: "button", id: "draw", onclick: () => this.draw() }, "Draw the plots"));
    this.replay = new Replay(name);
    this.config = element("pre", { tabindex: "0" });
    root.replaceChildren(this.state,
      element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Arms" },
        element("table", {}, element("thead", {}, this.head), this.body)),
      this.pages,
      element("dl", { class: "words" }, WORDS.map(([word, words]) =>
        element("div", {}, element("dt", {}, word), element("dd", {}, words)))),
      element("section", { "aria-labelledby": "comparison-title" }, element("h2", { id: "comparison-title" }, "Comparison"), this.comparison),
      element("section", { "aria-labelledby": "plots-title" }, element("h2", { id: "plots-title" }, "Plots"), this.plots),
      element("section", { "aria-labelledby": "replay-title" }, element("h2", { id: "replay-title" }, "Replay a trial"), this.replay.root),
      element("section", { "aria-labelledby": "more-title" }, element("h2", { id: "more-title" }, "More"),
        element("p", {}, element("a", { id: "report", href: address(`${this.path}/report`) }, "The whole report"), ", as `runner report` writes it."),
        element("p", {}, element("a", { id: "rewatch", href: address("/"), onclick: () => keep(this.read?.config ?? "") }, "Watch these settings"), " on the page Watch."),
        element("details", {}, element("summary", {}, "The experiment file"), this.config)));
    for (const section of root.querySelectorAll("section")) section.className = "keep";
    follow(`${this.path}/events`, { experiment: (read) => this.take(read) },
      () => setText(this.state, BROKEN));
  }

  /** @param {any} read */
  take(read) {
    if (read.error) {
      setText(this.state, `${read.error}. This page shows results as soon as there are some.`);
      this.state.dataset.kind = "wrong";
      return;
    }
    this.read = read;
    this.state.dataset.kind = "";
    const most = read.planned === null ? null : read.planned * read.count;
    const words = read.imported ? `Imported from ${read.imported}: ${number(read.trials)} trials.`
      : read.finished ? `Finished: ${number(read.trials)} trials of ${number(read.count)} arms.${read.hash ? ` Results: ${read.hash}` : ""}`
        : `Not finished: ${number(read.trials)} of up to ${number(most)} trials. This page follows the files; \`runner CONFIG\` goes on where a run ended.`;
    setText(this.state, words);
    const columns = JSON.stringify(read.swept);
    if (columns !== this.built) {
      this.built = columns;
      const heading = (/** @type {string} */ words, /** @type {number} */ place) =>
        element("th", { scope: "col" }, element("button", { type: "button", onclick: () => this.sort(place) }, words));
      this.head.replaceChildren(...["operator set", ...read.swept, ...FIGURES.map(([words]) => words)].map(heading));
    }
    setText(this.config, read.config ?? "It is not recorded.");
    if (read.config) byId("rewatch").href = address("/") + addressOf(read.config, 0);
    this.replay.arms(read.arms);
    this.rows();
  }

  /** @param {any} arm @param {number} place */
  value(arm, place) {
    const swept = this.read.swept.length;
    if (place < 0) return 0;
    if (place === 0) return arm.operators;
    if (place <= swept) {
      const text = arm.swept[place - 1];
      return text === null || Number.isNaN(Number(text)) ? text : Number(text);
    }
    return FIGURES[place - swept - 1][1](arm);
  }

  /** @param {number} column */
  sort(column) {
    this.order = { column, descends: this.order.column === column && !this.order.descends };
    this.rows();
  }

  rows() {
    const { column, descends } = this.order;
    const arms = this.read.arms.slice();
    if (column >= 0) {
      arms.sort((/** @type {any} */ one, /** @type {any} */ other) => {
        const [a, b] = [this.value(one, column), this.value(other, column)];
        if (a === b) return 0;
        if (a === null) return 1;
        if (b === null) return -1;
        return (a < b ? -1 : 1) * (descends ? -1 : 1);
      });
    }
    [...this.head.children].forEach((heading, at) =>
      heading.setAttribute("aria-sort", at === column ? (descends ? "descending" : "ascending") : "none"));
    const shown = arms.slice(this.page * SHOWN, (this.page + 1) * SHOWN);
    const columns = 1 + this.read.swept.length + FIGURES.length;
    while (this.body.children.length < shown.length) {
      this.body.append(element("tr", {}, element("th", { scope: "row" }), Array.from({ length: columns - 1 }, () => element("td", {}))));
    }
    while (this.body.children.length > shown.length) this.body.lastChild.remove();
    shown.forEach((/** @type {any} */ arm, /** @type {number} */ place) => {
      const words = [arm.operators, ...arm.swept.map((/** @type {any} */ text) => text ?? ""), ...FIGURES.map(([, of, show]) => show(of(arm)))];
      words.forEach((text, at) => setText(this.body.children[place].children[at], text));
    });
    this.turn(arms.length);
  }

  /** @param {number} arms */
  turn(arms) {
    const last = Math.max(0, Math.ceil(arms / SHOWN) - 1);
    if (last === 0 && this.read.count === arms) {
      this.pages.replaceChildren();
      return;
    }
    const go = (/** @type {number} */ to) => {
      this.page = to;
      this.rows();
    };
    const cut = this.read.count > arms ? `, the best and the worst of ${number(this.read.count)}; \`runner show\` has all` : "";
    this.pages.replaceChildren(
      element("button", { type: "button", disabled: this.page === 0, onclick: () => go(this.page - 1) }, "Before"),
      element("span", {}, `Arms ${number(this.page * SHOWN + 1)} to ${number(Math.min(arms, (this.page + 1) * SHOWN))} of ${number(arms)}${cut}`),
      element("button", { type: "button", disabled: this.page >= last, onclick: () => go(this.page + 1) }, "After"));
  }

  async compare() {
    this.comparison.replaceChildren(element("p", { role: "status" }, "Comparing …"));
    try {
      const { answer, pairs, legend } = await get(`${this.path}/comparison`);
      const words = ["first", "second", "difference of success rates", "95 % interval", "verdict"];
      const rows = pairs.map((/** @type {any} */ one) => element("tr", {},
        element("th", { scope: "row" }, one.first),
        [one.second, `${one.difference < 0 ? "" : "+"}${rate(one.difference)}`, `${rate(one.low)} to ${rate(one.high)}`, one.verdict].map((text) => element("td", {}, text))));
      this.comparison.replaceChildren(...answer.map((/** @type {string} */ line) => element("p", { class: "answer" }, line)), pairs.length === 0
        ? element("p", {}, "There is nothing to compare: this experiment has a single arm for each problem.")
        : element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Comparisons" }, element("table", {},
          element("thead", {}, element("tr", {}, words.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows))),
        pairs.length === 0 ? "" : element("details", {}, element("summary", {}, "How this was calculated"), element("p", { class: "help" }, legend)));
    } catch (error) {
      this.fail(this.comparison, error);
    }
  }

  async draw() {
    this.plots.replaceChildren(element("p", { role: "status" }, "Drawing …"));
    try {
      const names = await get(`${this.path}/plots`);
      const pictures = element("div", { class: "pictures" });
      this.plots.replaceChildren(pictures);
      for (const name of names) {
        const svg = await getText(`${this.path}/plots/${encodeURIComponent(name)}`);
        pictures.append(element("figure", {}, element("img", { src: pictureAddress(svg), alt: `Plot: ${name.replaceAll("-", " ")}` })));
      }
    } catch (error) {
      this.fail(this.plots, error);
    }
  }

  /** @param {any} place @param {any} error */
  fail(place, error) {
    place.replaceChildren(element("p", { class: "fault", role: "alert" }, String(error.message)));
  }
}

const root = byId("experiment");
new Experiment(root, root.dataset.name);
