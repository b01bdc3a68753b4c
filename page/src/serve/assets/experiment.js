// The page of an experiment: its answer, pictures, arms, comparison, replays; live while it runs.
// @ts-check
import { addressOf, keep } from "./address.js";
import { BROKEN, address, follow, get } from "./api.js";
import { Arms } from "./arms.js";
import { reportTables } from "./comparison.js";
import { byId, counted, element, number, real, rate, setText } from "./dom.js";
import { Pictures } from "./pictures.js";
import { Replay } from "./replay.js";
import { about } from "./rows.js";

/** What the words of the page mean, for who meets them here first. */
const WORDS = [
  ["arm", "an operator set on a problem, with one value of each swept key; a row of the table."],
  ["success rate", "the share of trials that reached the target, with its 95 % interval."],
  ["expected evaluations", "the evaluations of all trials, of a success until it succeeded, divided by the successes; also called expected running time, ERT."],
  ["best fitness", "the best that any trial of the arm reached; fitness is minimised."],
  ["median fitness", "the median of the best that each trial reached."],
];

/** Arms of which each has a sentence, where there is nothing to compare. */
const SENTENCES = 3;

/** The state of an experiment. @param {any} read */
function stateWords(read) {
  const trials = counted(read.trials, "trial");
  if (read.state === "imported") return `Imported from ${read.imported}: ${trials}.`;
  if (read.error !== null) {
    return `${read.state === "finished" ? "Finished" : "So far"}: all ${trials} failed. The first of them: ${read.error}`;
  }
  if (read.state === "finished") {
    return `Finished: ${trials} of ${counted(read.count, "arm")}.${read.hash ? ` Results: ${read.hash}` : ""}`;
  }
  const most = read.planned;
  const part = read.shard ? ` of shard ${read.shard}` : "";
  if (read.state === "shard done") {
    return `Shard ${read.shard} is done: ${trials}. \`runner merge\` makes the tables once all shards are done.`;
  }
  if (read.state === "unfinished") {
    return `Not finished: ${number(read.trials)} of up to ${number(most)} trials${part}. This page follows the files; \`runner CONFIG\` goes on where a run ended.`;
  }
  const done = read.trials - read.before;
  const left = done > 0 && read.seconds > 0 ? `, about ${about((read.seconds / done) * (most - read.trials))} left` : "";
  return `Running: ${Math.floor((100 * read.trials) / most)} %${left}. ${number(read.trials)} of up to ${number(most)} trials${part}; intervals hold at every look.`;
}

/** An arm in a sentence, where there is no other. @param {any} arm */
function armWords(arm) {
  const spread = arm.best === null ? "" : `best fitness ${real(arm.best)}, median ${real(arm.median)}`;
  const none = arm.failures > 0 ? `all ${number(arm.failures)} trials failed` : "no trials yet";
  if (arm.rate === null) return `${arm.label}: ${spread || none}.`;
  const ert = arm.ert === null ? spread : `${real(arm.ert)} evaluations expected per success`;
  return `${arm.label}: success rate ${rate(arm.rate)} (${rate(arm.low)} to ${rate(arm.high)})${ert ? `, ${ert}` : ""}.`;
}

class Experiment {
  /** @param {any} root @param {string} name */
  constructor(root, name) {
    this.path = `/api/experiments/${encodeURIComponent(name)}`;
    this.root = root;
    /** Trials and state that the answer and the pictures show. */
    this.shown = "";
    this.busy = false;
    this.state = element("p", { class: "state", role: "status", id: "experiment-state" });
    this.answer = element("div", { id: "answer", role: "status" });
    this.pictures = new Pictures(this.path);
    this.arms = new Arms();
    this.comparison = element("div", { id: "comparison" });
    this.replay = new Replay(name);
    this.config = element("pre", { tabindex: "0", "aria-label": "The experiment file" });
    const section = (/** @type {string} */ id, /** @type {string} */ title, /** @type {any[]} */ ...parts) =>
      element("section", { class: "keep", "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), ...parts);
    root.replaceChildren(this.state, this.answer, this.pictures.root,
      section("arms", "Arms", this.arms.root, element("dl", { class: "words" }, WORDS.map(([word, words]) =>
        element("div", {}, element("dt", {}, word), element("dd", {}, words))))),
      section("comparison", "Comparison", this.comparison),
      section("replay", "Replay a trial", this.replay.root),
      section("more", "More",
        element("p", {}, element("a", { id: "report", href: address(`${this.path}/report`) }, "The whole report"), ", as `runner report` writes it."),
        element("p", {}, element("a", { id: "rewatch", href: address("/"), onclick: () => keep(this.read?.config ?? "") }, "Watch these settings"), " on the page Watch."),
        element("details", {}, element("summary", {}, "The experiment file"), this.config)));
    follow(`${this.path}/events`, { experiment: (read) => this.take(read) },
      () => setText(this.state, BROKEN));
  }

  /** @param {any} read */
  take(read) {
    this.state.dataset.kind = read.error ? "wrong" : "";
    const isNothing = Boolean(read.error || read.tuning);
    if (!this.read) for (const part of [...this.root.children].slice(1)) part.hidden = isNothing;
    if (read.tuning) {
      setText(this.state, `This is a tuning: \`runner show ${read.tuning}\` shows its settings. Each folder in it is an experiment.`);
      return;
    }
    if (read.error) {
      setText(this.state, `${read.error}. This page shows results as soon as there are some.`);
      return;
    }
    this.read = read;
    setText(this.state, stateWords(read));
    this.arms.take(read);
    setText(this.config, read.config ?? "It is not recorded.");
    if (read.config) byId("rewatch").href = address("/") + addressOf(read.config, 0);
    this.replay.arms(read.arms);
    if (!this.busy) this.renew();
  }

  /** Whether all trials are there. */
  get whole() {
    return this.read.planned === null;
  }

  /** Says the answer and draws the pictures, as often as there are more trials. */
  async renew() {
    this.busy = true;
    for (;;) {
      const { trials, state, hash } = this.read;
      const now = JSON.stringify([trials, state, hash]);
      if (now === this.shown) break;
      this.shown = now;
      if (this.whole) await this.compare();
      else this.wait();
      await this.pictures.draw(this.whole);
    }
    this.busy = false;
  }

  /** Leaves the comparison to the end: its tests are for a number of trials that was planned. */
  wait() {
    this.say([]);
    if (this.comparison.children.length > 0) return;
    this.comparison.replaceChildren(
      element("p", {}, "Arms are compared when all trials are there. Tests of the trials so far, repeated at every look, would find differences that are none."),
      element("button", { type: "button", id: "compare", onclick: () => this.compare() }, "Compare the trials so far"));
  }

  /** @param {string[]} answer */
  say(answer) {
    const { arms, count } = this.read;
    const lines = answer.length === 0 && count <= SENTENCES ? arms.map(armWords) : answer;
    const now = lines.join("\n");
    if (now === this.said) return;
    this.said = now;
    this.answer.replaceChildren(...lines.map((/** @type {string} */ line) => element("p", { class: "answer" }, line)));
  }

  async compare() {
    this.comparison.replaceChildren(element("p", { role: "status" }, "Comparing …"));
    try {
      const compared = await get(`${this.path}/comparison`);
      if (this.whole) this.say(compared.answer);
      this.comparison.replaceChildren(...(compared.pairs.length === 0
        ? [element("p", {}, "There is nothing to compare: this experiment has a single arm for each problem.")]
        : [...(this.whole ? [] : compared.answer.map((/** @type {string} */ line) => element("p", {}, `So far: ${line}`))), ...reportTables(compared)]));
    } catch (error) {
      this.comparison.replaceChildren(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
    }
  }
}

const root = byId("experiment");
new Experiment(root, root.dataset.name);
