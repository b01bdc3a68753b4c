// Repeated trials: success rates with intervals that narrow, run lengths, final fitness; two
// operator sets side by side, and the verdict.
// @ts-check
import { BROKEN, follow, post } from "./api.js";
import { element, number, rate, setText } from "./dom.js";
import { COLOURS, Plot, colour, extent } from "./plot.js";

/** Columns that there are where success is defined. */
const SUCCESS = ["successes", "success rate", "95 % interval"];

export class Repeat {
  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {any} */
    this.settings = null;
    /** @type {string | null} */
    this.id = null;
    this.wanted = 0;
    this.close = () => {};
    /** @type {any} */
    this.last = null;
    this.button = element("button", { type: "button", id: "repeat-start", onclick: () => this.act() }, "Repeat");
    this.count = element("input", { id: "repeat-count", type: "text", inputmode: "numeric", value: "400", autocomplete: "off" });
    this.words = element("p", { class: "state", role: "status", id: "repeat-state" }, "Runs many trials of these settings, on all cores.");
    this.rates = element("canvas", { role: "img", "aria-label": "Success rates with intervals" });
    this.lengths = element("canvas", { role: "img", "aria-label": "Run lengths" });
    this.fitness = element("canvas", { role: "img", "aria-label": "Final fitness" });
    this.table = element("tbody", { id: "repeat-rows" });
    this.verdicts = element("div", { id: "verdicts", role: "status" });
    const figure = (/** @type {string} */ title, /** @type {any} */ canvas) => element("figure", {}, element("figcaption", {}, title), canvas);
    /** Where success is not defined, there is none of them. */
    this.ofSuccess = [
      figure("Success rate so far, with an interval that holds at every look (95 %)", this.rates),
      figure("Share of trials that succeeded within so many evaluations", this.lengths),
    ];
    this.pictures = element("div", { class: "pictures", hidden: true }, this.ofSuccess, figure("Final fitness of the trials", this.fitness));
    this.undefined = element("p", { id: "repeat-undefined", hidden: true },
      "Success is not defined: the problem states no ideal, and the experiment no target (stop.fitness).");
    root.replaceChildren(
      element("div", { class: "controls" },
        element("label", { for: "repeat-count" }, "Trials"), this.count, this.button),
      this.words,
      this.undefined,
      element("div", { class: "scrolls", hidden: true, tabindex: "0", role: "region", "aria-label": "Repeated trials" }, element("table", {},
        element("thead", {}, element("tr", {}, ["operator set", "trials", ...SUCCESS, "failed"].map((words) => element("th", { scope: "col" }, words)))),
        this.table)),
      this.verdicts,
      this.pictures);
    this.plots = [
      new Plot(this.rates, "trials", "success rate"),
      new Plot(this.lengths, "evaluations", "share of trials"),
      new Plot(this.fitness, "final fitness (lower is better)", "trials"),
    ];
    for (const plot of this.plots) plot.redraw = () => this.draw();
    /** By arm: trials, rate, low, high at each look. @type {number[][][]} */
    this.looks = [];
  }

  /** @param {any} settings */
  take(settings) {
    const { repeats } = settings.config;
    const most = Number(repeats?.max ?? repeats?.typed ?? repeats);
    if (this.settings === null && Number.isFinite(most)) this.count.value = String(Math.min(1000, most));
    this.settings = settings;
    if (this.id !== null && settings.text !== this.text) this.end("The settings changed: Repeat runs them anew.");
    this.button.disabled = !settings.ready && this.id === null;
  }

  act() {
    if (this.id !== null) this.end("Stopped.");
    else this.begin();
  }

  async begin() {
    const trials = Number(this.count.value.replaceAll(",", ""));
    if (!Number.isInteger(trials) || trials < 1 || trials > 1e6) {
      this.say("The number of trials is 1 to 1,000,000.", "wrong");
      return;
    }
    this.text = this.settings.text;
    this.looks = [];
    this.last = null;
    this.verdicts.replaceChildren();
    this.say("Starting …");
    const turn = ++this.wanted;
    try {
      const { id } = await post("/api/runs", { task: "repeat", text: this.text, trials });
      if (turn !== this.wanted) return;
      this.id = id;
      setText(this.button, "Stop");
      this.close = follow(`/api/runs/${id}/events`, {
        repeats: (news) => this.show(news),
        lost: ({ error }) => this.end(error, "wrong"),
      }, () => this.end(BROKEN, "wrong"));
    } catch (error) {
      this.end(String(/** @type {any} */ (error).message), "wrong");
    }
  }

  /** @param {string} words @param {string} [kind] */
  say(words, kind = "") {
    setText(this.words, words);
    this.words.dataset.kind = kind;
  }

  /** @param {string} words @param {string} [kind] */
  end(words, kind = "") {
    this.wanted++;
    this.close();
    if (this.id !== null) post(`/api/runs/${this.id}/order`, { order: "end" }).catch(() => {});
    this.id = null;
    setText(this.button, "Repeat");
    this.button.disabled = !this.settings?.ready;
    this.say(words, kind);
  }

  /** @param {any} news */
  show(news) {
    this.last = news;
    this.pictures.hidden = false;
    /** @type {any} */ (this.root.querySelector(".scrolls")).hidden = false;
    news.arms.forEach((/** @type {any} */ arm, /** @type {number} */ place) => {
      const looks = (this.looks[place] ??= []);
      if (arm.interval && arm.trials !== looks.at(-1)?.[0]) looks.push([arm.trials, arm.successes / arm.trials, ...arm.interval]);
      // As many as can be told apart: every other one goes.
      if (looks.length > 600) this.looks[place] = looks.filter((_, at) => at % 2 === 0);
    });
    this.rows(news);
    this.draw();
    const done = news.arms.reduce((/** @type {number} */ sum, /** @type {any} */ arm) => sum + arm.trials + arm.failures, 0);
    const wanted = news.target * news.arms.length;
    if (news.state !== "ended") {
      this.say(`${number(done)} of ${number(wanted)} trials.`);
      return;
    }
    this.close();
    this.id = null;
    setText(this.button, "Repeat");
    this.say(`All ${number(wanted)} trials are done.`, "good");
    this.verdicts.replaceChildren(...news.verdicts.map((/** @type {any} */ one) =>
      element("p", { class: "verdict" }, element("strong", {}, one.first), " against ", element("strong", {}, one.second), `: ${one.words}`)),
      ...(news.note ? [element("p", {}, news.note)] : []));
  }

  /** @param {any} news */
  rows({ arms }) {
    while (this.table.children.length < arms.length) {
      const shade = COLOURS[this.table.children.length % COLOURS.length];
      this.table.append(element("tr", {}, element("th", { scope: "row", class: `mark ${shade}` }), [1, 2, 3, 4, 5].map(() => element("td", {}))));
    }
    while (this.table.children.length > arms.length) this.table.lastChild.remove();
    arms.forEach((/** @type {any} */ arm, /** @type {number} */ place) => {
      const interval = arm.interval ? `${rate(arm.interval[0])} to ${rate(arm.interval[1])}` : "none";
      const failed = arm.failures === 0 ? "0" : `${number(arm.failures)}: ${arm.error}`;
      const success = arm.defines_success ? [number(arm.successes), rate(arm.trials ? arm.successes / arm.trials : null), interval] : SUCCESS.map(() => "not defined");
      const words = [arm.label, number(arm.trials), ...success, failed];
      words.forEach((text, at) => setText(this.table.children[place].children[at], text));
    });
    const defined = arms.some((/** @type {any} */ arm) => arm.defines_success);
    this.undefined.hidden = defined;
    this.ofSuccess.forEach((one) => { one.hidden = !defined; });
    for (const row of this.root.querySelectorAll("tr")) {
      SUCCESS.forEach((_, at) => { row.children[2 + at].hidden = !defined; });
    }
  }

  draw() {
    if (!this.last || this.pictures.hidden) return;
    const { arms } = this.last;
    const [rates, lengths, fitness] = this.plots;
    rates.frame([0, Math.max(10, ...arms.map((/** @type {any} */ arm) => arm.trials))], [0, 1]);
    const longest = Math.max(1, ...arms.map((/** @type {any} */ arm) => arm.longest));
    lengths.frame([0, longest], [0, 1]);
    const bins = arms.flatMap((/** @type {any} */ arm) => arm.histogram);
    const [low, high] = extent(bins.flatMap((/** @type {any} */ [from, to]) => [from, to]));
    const values = [...new Set(bins.map((/** @type {any} */ bin) => bin[0]))].sort((a, b) => a - b);
    const gaps = values.slice(1).map((value, at) => value - values[at]);
    const width = gaps.length ? Math.min(...gaps) : 1;
    const most = Math.max(1, ...bins.map((/** @type {any} */ bin) => bin[2]));
    fitness.frame([low - width / 2, high + width / 2], [0, most]);
    arms.forEach((/** @type {any} */ arm, /** @type {number} */ place) => {
      const shade = colour(COLOURS[place % COLOURS.length]);
      const looks = this.looks[place] ?? [];
      const at = (/** @type {number} */ column) => looks.map((look) => /** @type {[number, number]} */ ([look[0], look[column]]));
      if (arm.defines_success) {
        rates.curve(at(2), shade, { width: 1, dash: [3, 3] });
        rates.curve(at(3), shade, { width: 1, dash: [3, 3] });
        rates.curve(at(1), shade, { width: 2 });
        const shares = arm.run_lengths.map((/** @type {number} */ length, /** @type {number} */ rank) =>
          [length, ((rank + 1) / arm.run_lengths.length) * (arm.successes / arm.trials)]);
        lengths.curve([[0, 0], ...shares, [longest, arm.trials ? arm.successes / arm.trials : 0]], shade, { steps: true, width: 2 });
      }
      const part = width / arms.length;
      for (const [from, to, count] of arm.histogram) {
        const start = from === to ? from - width / 2 + place * part : from;
        const end = from === to ? start + part : to;
        fitness.bar(start, end, count, shade);
      }
    });
  }
}
