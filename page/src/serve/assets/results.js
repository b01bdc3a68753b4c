// The page "Results": the experiments of the results folder, as they come, change and go. The rows
// that are seen are read first. What is looked for is in the page's address.
// @ts-check
import { BROKEN, address, follow, post } from "./api.js";
import { byId, element, number, rate, setText } from "./dom.js";
import { about, headings, inOrder, pager, sayOrder } from "./rows.js";

/** Rows that are shown at a time, and lines that are read at a time. */
const [SHOWN, READ] = [100, 50];

/** @typedef {{ name: string, modified: number | null, stamp: number, line: any, tr: any }} Row */
/** @typedef {{ id: string, words: string, of: (row: Row) => any, show: (row: Row) => string, descends?: boolean, figure?: boolean }} Column */

/** A number of a line, if it was read. @param {Row} row @param {string} key */
const of = (row, key) => row.line?.[key] ?? undefined;

/** Seconds of 1970 at which results were last written. @param {Row} row */
function moment(row) {
  const ended = of(row, "ended");
  return ended ? Date.parse(ended) / 1000 : row.modified ?? undefined;
}

/** @param {Row} row */
function dateWords(row) {
  const seconds = moment(row);
  return seconds === undefined ? "unknown" : new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ");
}

/** @param {Row} row */
function stateWords({ line }) {
  if (!line) return "…";
  if (line.error) return line.error.includes("no summary.parquet, and no run") ? "no experiment" : line.error;
  if (line.state === "tuning") return "tuning";
  const share = line.planned ? ` ${Math.floor((100 * line.trials) / line.planned)} %` : "";
  return `${line.state}${["imported", "shard done"].includes(line.state) ? "" : share}`;
}

/** Success rates of all arms, from the least to the greatest. @param {Row} row */
function rateWords({ line }) {
  if (!line || line.error || line.state === "tuning") return "";
  const { least, greatest } = line;
  return least === null ? "–" : least === greatest ? rate(least) : `${rate(least)} to ${rate(greatest)}`;
}

/** @param {string} key @param {(value: any) => string} show */
const figure = (key, show) => (/** @type {Row} */ row) => (of(row, key) === undefined ? "" : show(of(row, key)));

/** @type {Column[]} */
const COLUMNS = [
  { id: "name", words: "experiment", of: (row) => row.name, show: (row) => row.name },
  { id: "state", words: "state", of: (row) => of(row, "state"), show: stateWords },
  { id: "problem", words: "problem", of: (row) => of(row, "problem"), show: figure("problem", String) },
  { id: "arms", words: "arms", of: (row) => of(row, "arms"), show: figure("arms", number), figure: true },
  { id: "trials", words: "trials", of: (row) => of(row, "trials"), show: figure("trials", number), figure: true },
  { id: "rates", words: "success rates", of: (row) => of(row, "greatest"), show: rateWords, descends: true, figure: true },
  { id: "best", words: "best fitness", of: (row) => of(row, "best"), show: figure("best", number), figure: true },
  { id: "duration", words: "duration", of: (row) => of(row, "seconds"), show: figure("seconds", about), figure: true },
  { id: "date", words: "date", of: moment, show: dateWords, descends: true },
];

/** What the words of the table mean, for who meets them here first. */
const WORDS = "An arm is an operator set on a problem, with one value of each swept key. A success rate is the share of an arm's trials that reached the target: here from the arm with the least to the arm with the greatest. The duration is that of all runs. Dates are in UTC.";

class Listing {
  /** @param {any} root */
  constructor(root) {
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {Set<string>} */
    this.chosen = new Set();
    this.busy = false;
    this.fromAddress();
    this.heads = headings(COLUMNS.map(({ words, figure }) => [words, figure ?? false]), (place) => this.sort(place));
    this.body = element("tbody", {});
    this.count = element("p", { class: "faint", role: "status", id: "count" }, "Reading …");
    this.input = element("input", { id: "filter", type: "search", autocomplete: "off", spellcheck: "false", value: this.filter, oninput: () => {
      this.filter = this.input.value;
      this.page = 0;
      this.draw();
    } });
    this.pages = element("div", { class: "controls" });
    this.together = element("a", { id: "together", class: "button", href: "#" }, "Compare or rank");
    this.none = element("button", { type: "button", id: "choose-none", onclick: () => this.choose([], false) }, "Choose none");
    this.all = element("button", { type: "button", id: "choose-all", onclick: () => this.choose(this.found().map(({ name }) => name), true) }, "Choose all found");
    this.choice = element("div", { class: "controls", role: "group", "aria-label": "Chosen experiments" },
      element("span", { id: "chosen", role: "status" }), this.together, this.all, this.none);
    root.replaceChildren(
      element("div", { class: "controls" }, element("label", { for: "filter" }, "Show names and problems with"), this.input),
      this.count, this.choice,
      element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Experiments" },
        element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { class: "hidden" }, "chosen")), this.heads)), this.body)),
      this.pages,
      element("p", { class: "help" }, WORDS));
    addEventListener("popstate", () => {
      this.fromAddress();
      this.input.value = this.filter;
      this.draw();
    });
    follow("/api/list", { list: (news) => this.take(news) }, () => setText(this.count, BROKEN));
  }

  fromAddress() {
    const asked = new URLSearchParams(location.search);
    this.filter = asked.get("filter") ?? "";
    const place = COLUMNS.findIndex(({ id }) => id === asked.get("sort"));
    /** @type {[number, boolean]} the column, and whether it descends */
    this.order = place < 0 ? [COLUMNS.length - 1, true] : [place, asked.get("order") === "descending"];
    this.page = Math.max(0, Math.floor(Number(asked.get("page") ?? 1)) - 1 || 0);
  }

  /** Keeps what is looked for in the address, so that it can be linked and comes back. */
  toAddress() {
    const [place, descends] = this.order;
    const kept = new URLSearchParams();
    if (this.filter) kept.set("filter", this.filter);
    if (place !== COLUMNS.length - 1 || !descends) {
      kept.set("sort", COLUMNS[place].id);
      kept.set("order", descends ? "descending" : "ascending");
    }
    if (this.page > 0) kept.set("page", String(this.page + 1));
    const text = kept.toString();
    const query = text ? `?${text}` : "";
    if (query !== location.search) history.replaceState(null, "", location.pathname + query);
  }

  /** @param {{ rows: any[], gone: string[] }} news */
  take({ rows, gone }) {
    for (const name of gone) {
      this.rows.delete(name);
      this.chosen.delete(name);
    }
    for (const row of rows) {
      const before = this.rows.get(row.name);
      this.rows.set(row.name, { line: null, tr: null, ...before, ...row });
    }
    this.draw();
    this.read();
  }

  /** Reads what is new or changed, a part at a time; rows that are seen come first. */
  async read() {
    if (this.busy) return;
    this.busy = true;
    try {
      for (;;) {
        const isOld = (/** @type {Row} */ row) => row.line?.stamp !== row.stamp;
        const seen = this.seen().filter(isOld);
        const rest = seen.length > 0 ? [] : [...this.rows.values()].filter(isOld);
        const asked = [...seen, ...rest].slice(0, READ).map(({ name, stamp }) => ({ name, stamp }));
        if (asked.length === 0) break;
        const lines = await post("/api/lines", { names: asked.map(({ name }) => name) });
        for (const { name, stamp } of asked) {
          const row = this.rows.get(name);
          // One that changed while it was read has another stamp by now, and is read again.
          if (row) row.line = { ...(lines[name] ?? { error: "it is gone" }), stamp };
        }
        this.draw();
      }
    } catch (error) {
      setText(this.count, String(/** @type {any} */ (error).message));
    }
    this.busy = false;
  }

  /** @param {number} place */
  sort(place) {
    const [before, descends] = this.order;
    this.order = [place, before === place ? !descends : COLUMNS[place].descends ?? false];
    this.page = 0;
    this.draw();
    this.read();
  }

  /** @param {string[]} names @param {boolean} chosen */
  choose(names, chosen) {
    if (names.length === 0) this.chosen.clear();
    for (const name of names) {
      if (chosen) this.chosen.add(name);
      else this.chosen.delete(name);
    }
    this.draw();
  }

  /** The rows that the filter finds, in their order. */
  found() {
    const [place, descends] = this.order;
    const wanted = this.filter.toLowerCase();
    const rows = [...this.rows.values()].filter((row) =>
      row.name.toLowerCase().includes(wanted) || String(of(row, "problem") ?? "").toLowerCase().includes(wanted));
    // Equal ones stay in the order of their names.
    return inOrder(inOrder(rows, COLUMNS[0].of, false), COLUMNS[place].of, descends);
  }

  /** The rows of the page that is shown. */
  seen() {
    return this.found().slice(this.page * SHOWN, (this.page + 1) * SHOWN);
  }

  draw() {
    const found = this.found();
    this.page = Math.min(this.page, Math.max(0, Math.ceil(found.length / SHOWN) - 1));
    const shown = found.slice(this.page * SHOWN, (this.page + 1) * SHOWN);
    for (const row of shown) this.line(row);
    const lines = shown.map(({ tr }) => tr);
    // A row that stays where it is keeps its focus.
    if (lines.length !== this.body.children.length || lines.some((tr, at) => tr !== this.body.children[at])) {
      const focused = document.activeElement;
      this.body.replaceChildren(...lines);
      if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) focused.focus();
    }
    sayOrder(this.heads, ...this.order);
    pager(this.pages, this.page, SHOWN, found.length, "Experiments", (/** @type {number} */ page) => {
      this.page = page;
      this.draw();
      this.read();
    });
    const rows = [...this.rows.values()];
    const unread = rows.filter(({ line }) => line === null).length;
    const none = "There are no experiments yet. Run one with `runner configs/*.toml`, or save one on the page Watch and run it.";
    setText(this.count, rows.length === 0 ? none : `${number(found.length)} of ${number(rows.length)} folders${unread > 0 ? `; ${number(rows.length - unread)} are read` : ""}`);
    this.showChoice(found.length);
    this.toAddress();
  }

  /** @param {number} found */
  showChoice(found) {
    const names = [...this.chosen];
    setText(byId("chosen"), names.length === 0 ? "Choose two to compare them, or several to rank their arms." : `${number(names.length)} chosen`);
    this.together.hidden = names.length < 2;
    this.none.hidden = names.length === 0;
    this.all.hidden = found === 0 || found > SHOWN;
    this.together.href = address(`/together?${new URLSearchParams(names.map((name) => ["of", name]))}`);
  }

  /** Makes the line of a row, or renews its texts. @param {Row} row */
  line(row) {
    if (row.tr === null) {
      const box = element("input", { type: "checkbox", "aria-label": `Choose ${row.name}`, onchange: () => this.choose([row.name], box.checked) });
      row.tr = element("tr", {}, element("td", {}, box),
        element("th", { scope: "row" }, element("a", { href: address(`/results/${encodeURIComponent(row.name)}`) }, row.name)),
        COLUMNS.slice(1).map((column) => element("td", { class: column.figure ? "figure" : null })));
    }
    const [chosen, , ...cells] = row.tr.children;
    chosen.firstChild.checked = this.chosen.has(row.name);
    cells.forEach((/** @type {any} */ cell, /** @type {number} */ at) => setText(cell, COLUMNS[at + 1].show(row)));
    cells[0].classList.toggle("wraps", Boolean(row.line?.error));
  }
}

new Listing(byId("results"));
