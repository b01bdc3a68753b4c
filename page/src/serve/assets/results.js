// The page "Results": the experiments of the results folder. What is in each is fetched when its row
// comes into view.
// @ts-check
import { address, get } from "./api.js";
import { byId, element, number, rate, setText } from "./dom.js";

/** Columns: words, the value that rows are sorted by (undefined: none, and last), and whether the
 * greatest stands first at first. @type {[string, (row: any) => any, boolean][]} */
const COLUMNS = [
  ["experiment", (row) => row.name, false],
  ["changed", (row) => row.modified ?? undefined, true],
  ["state", (row) => row.read?.finished, false],
  ["arms", (row) => row.read?.count, false],
  ["trials", (row) => row.read?.trials, false],
  ["success rates", (row) => greatest((row.read?.arms ?? []).map((/** @type {any} */ arm) => arm.rate)), true],
];

/** What the words of the table mean, for who meets them here first. */
const WORDS = "An arm is an operator set on a problem, with one value of each swept key. A success rate is the share of an arm's trials that reached the target: here from the arm with the least to the arm with the greatest.";

/** The greatest of those that are there. @param {(number | null)[]} rates @returns {number | undefined} */
function greatest(rates) {
  const there = rates.filter((one) => one !== null);
  return there.length === 0 ? undefined : Math.max(...there);
}

class Listing {
  /** @param {any} root @param {any[]} rows */
  constructor(root, rows) {
    this.rows = rows;
    /** @type {[number, boolean]} the column, and whether it descends */
    this.order = [1, true];
    this.filter = "";
    this.headings = COLUMNS.map(([words], place) =>
      element("th", { scope: "col" }, element("button", { type: "button", onclick: () => this.sort(place) }, words)));
    this.body = element("tbody", {});
    this.count = element("p", { class: "faint", role: "status" });
    const filter = element("input", { id: "filter", type: "text", autocomplete: "off", spellcheck: "false", oninput: (/** @type {any} */ event) => {
      this.filter = event.target.value.toLowerCase();
      this.draw();
    } });
    root.replaceChildren(
      element("div", { class: "controls" }, element("label", { for: "filter" }, "Show names with"), filter),
      this.count,
      element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Experiments" }, element("table", {}, element("thead", {}, element("tr", {}, this.headings)), this.body)),
      element("p", { class: "help" }, WORDS));
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        this.seen.unobserve(entry.target);
        this.read(/** @type {any} */ (entry.target).row);
      }
    }, { rootMargin: "300px" });
    for (const row of rows) row.line = this.line(row);
    this.draw();
  }

  /** @param {any} row */
  line(row) {
    const time = row.modified ? new Date(row.modified * 1000).toISOString().slice(0, 16).replace("T", " ") : "unknown";
    const line = element("tr", {},
      element("th", { scope: "row" }, element("a", { href: address(`/results/${encodeURIComponent(row.name)}`) }, row.name)),
      element("td", {}, time), [1, 2, 3, 4].map(() => element("td", {}, "…")));
    line.row = row;
    this.seen.observe(line);
    return line;
  }

  /** @param {any} row */
  async read(row) {
    const cells = [...row.line.children].slice(2);
    try {
      const read = await get(`/api/experiments/${encodeURIComponent(row.name)}`);
      if (read.error) throw new Error(read.error);
      row.read = read;
      const rates = read.arms.map((/** @type {any} */ arm) => arm.rate).filter((/** @type {any} */ one) => one !== null);
      const span = rates.length === 0 ? "none"
        : rates.length === 1 ? rate(rates[0]) : `${rate(Math.min(...rates))} to ${rate(Math.max(...rates))}`;
      const state = read.imported ? "imported" : read.finished ? "finished" : "unfinished";
      [state, number(read.count), number(read.trials), span].forEach((words, place) => setText(cells[place], words));
    } catch (error) {
      const message = String(/** @type {any} */ (error).message);
      setText(cells[0], message.includes("neither summary.parquet nor parts") ? "no experiment" : message);
      cells.slice(1).forEach((cell) => setText(cell, ""));
    }
  }

  /** @param {number} place */
  sort(place) {
    const [before, descends] = this.order;
    this.order = [place, before === place ? !descends : COLUMNS[place][2]];
    this.draw();
  }

  draw() {
    const [place, descends] = this.order;
    const of = COLUMNS[place][1];
    const shown = this.rows.filter((row) => row.name.toLowerCase().includes(this.filter));
    const compare = (/** @type {any} */ one, /** @type {any} */ other) => {
      const [a, b] = [of(one), of(other)];
      if (a === b) return 0;
      if (a === undefined) return 1;
      if (b === undefined) return -1;
      return (a < b ? -1 : 1) * (descends ? -1 : 1);
    };
    shown.sort(compare);
    this.body.replaceChildren(...shown.map((row) => row.line));
    this.headings.forEach((heading, at) => heading.setAttribute("aria-sort", at === place ? (descends ? "descending" : "ascending") : "none"));
    setText(this.count, `${number(shown.length)} of ${number(this.rows.length)} folders`);
  }
}

async function begin() {
  const root = byId("results");
  try {
    const rows = await get("/api/experiments");
    if (rows.length === 0) {
      root.replaceChildren(element("p", {}, "There are no experiments yet. Run one with `runner configs/*.toml`, or save one on the page Watch and run it."));
      return;
    }
    new Listing(root, rows);
  } catch (error) {
    root.replaceChildren(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
  }
}

begin();
