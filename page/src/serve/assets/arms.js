// The arms of an experiment with their figures, as a table that sorts.
// @ts-check
import { element, number, real, rate, setText } from "./dom.js";
import { headings, inOrder, pager, rateBar, sayOrder } from "./rows.js";

/** Arms that are shown at a time. */
const SHOWN = 100;

/** @typedef {{ words: string, of: (arm: any) => any, show: (arm: any) => string, bar?: boolean }} Figure */

/** Figures of every experiment. @type {Figure[]} */
const COUNTS = [{ words: "trials", of: (arm) => arm.trials, show: (arm) => number(arm.trials) }];

/** Figures where a trial can succeed. @type {Figure[]} */
const RATES = [
  { words: "successes", of: (arm) => arm.successes, show: (arm) => number(arm.successes) },
  { words: "success rate", of: (arm) => arm.rate, bar: true, show: (arm) => (arm.low === null ? rate(arm.rate) : `${rate(arm.rate)} (${rate(arm.low)} to ${rate(arm.high)})`) },
  { words: "expected evaluations", of: (arm) => arm.ert, show: (arm) => real(arm.ert) },
];

/** @type {Figure[]} */
const FITNESS = [
  { words: "best fitness", of: (arm) => arm.best, show: (arm) => real(arm.best) },
  { words: "median fitness", of: (arm) => arm.median, show: (arm) => real(arm.median) },
  { words: "failed", of: (arm) => arm.failures, show: (arm) => number(arm.failures) },
];

/** Figures where a limit of seconds ended trials. @type {Figure[]} */
const TIMES = [{ words: "timed out", of: (arm) => arm.timed_out, show: (arm) => number(arm.timed_out) }];

export class Arms {
  constructor() {
    this.order = { column: -1, descends: false };
    this.page = 0;
    this.built = "";
    /** @type {Figure[]} */
    this.figures = [];
    /** @type {[string, boolean][]} words, and whether they are of numbers */
    this.columns = [];
    this.head = element("tr", {});
    this.body = element("tbody", { id: "arms" });
    this.pages = element("div", { class: "controls" });
    this.cut = element("p", { class: "faint" });
    this.root = element("div", {},
      element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Figures of the arms" },
        element("table", {}, element("thead", {}, this.head), this.body)),
      this.pages, this.cut);
  }

  /** @param {any} read */
  take(read) {
    this.read = read;
    const succeeds = read.arms.some((/** @type {any} */ arm) => arm.rate !== null);
    const timesOut = read.arms.some((/** @type {any} */ arm) => arm.timed_out > 0);
    this.figures = [...COUNTS, ...(succeeds ? RATES : []), ...FITNESS, ...(timesOut ? TIMES : [])];
    /** @type {[string, boolean][]} */
    const columns = [["operator set", false], ...read.swept.map((/** @type {string} */ key, /** @type {number} */ at) => [key, this.isNumbers(at)]), ...this.figures.map(({ words }) => [words, true])];
    const built = JSON.stringify(columns);
    if (built !== this.built) {
      this.built = built;
      this.columns = columns;
      this.head.replaceChildren(...headings(columns, (place) => this.sort(place)));
      this.body.replaceChildren();
    }
    setText(this.cut, read.count > read.arms.length ? `These are the best and the worst of ${number(read.count)} arms; \`runner show\` has all.` : "");
    this.rows();
  }

  /** @param {number} at a swept key */
  isNumbers(at) {
    return this.read.arms.every((/** @type {any} */ { swept }) => swept[at] === null || !Number.isNaN(Number(swept[at])));
  }

  /** @param {number} column */
  sort(column) {
    this.order = { column, descends: this.order.column === column && !this.order.descends };
    this.rows();
  }

  /** @param {any} arm @param {number} place */
  value(arm, place) {
    const swept = this.read.swept.length;
    if (place === 0) return arm.operators;
    if (place > swept) return this.figures[place - swept - 1].of(arm);
    const text = arm.swept[place - 1];
    return text === null || !this.isNumbers(place - 1) ? text : Number(text);
  }

  rows() {
    const { column, descends } = this.order;
    const { arms: all, swept } = this.read;
    const arms = column < 0 ? all : inOrder(all, (arm) => this.value(arm, column), descends);
    sayOrder([...this.head.children], column, descends);
    const shown = arms.slice(this.page * SHOWN, (this.page + 1) * SHOWN);
    while (this.body.children.length < shown.length) this.body.append(this.line());
    while (this.body.children.length > shown.length) this.body.lastChild.remove();
    shown.forEach((/** @type {any} */ arm, /** @type {number} */ place) => {
      const { children } = this.body.children[place];
      [arm.operators, ...arm.swept].forEach((text, at) => setText(children[at], text ?? ""));
      this.figures.forEach((figure, at) => this.fill(children[1 + swept.length + at], figure, arm));
    });
    pager(this.pages, this.page, SHOWN, arms.length, "Arms", (page) => {
      this.page = page;
      this.rows();
    });
  }

  line() {
    return element("tr", {}, this.columns.map(([, numbers], at) =>
      element(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: numbers ? "figure" : null })));
  }

  /** @param {any} cell @param {Figure} figure @param {any} arm */
  fill(cell, { of, show, bar }, arm) {
    const text = show(arm);
    if (cell.textContent === text) return;
    cell.replaceChildren(text, ...(bar && of(arm) !== null ? [rateBar(arm.rate, arm.low, arm.high)] : []));
  }
}
