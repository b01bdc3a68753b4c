// A trial of results run again: a slider over its improvements.
// @ts-check
import { BROKEN, follow, post } from "./api.js";
import { element, number, setText, showBoard, successWords, violationWords } from "./dom.js";
import { Convergence } from "./convergence.js";

export class Replay {
  /** @param {string} experiment */
  constructor(experiment) {
    this.experiment = experiment;
    /** @type {any} */
    this.replayed = null;
    this.close = () => {};
    this.arm = element("select", { id: "replay-arm" });
    this.trial = element("input", { id: "replay-trial", type: "text", inputmode: "numeric", value: "0", autocomplete: "off" });
    this.words = element("p", { class: "state", role: "status", id: "replay-state" }, "Runs a trial again, improvement by improvement.");
    this.slider = element("input", { id: "replay-step", type: "range", min: "0", step: "1", value: "0", oninput: () => this.show() });
    this.picture = element("div", { id: "board", class: "canvas" });
    this.caption = element("figcaption", {});
    this.canvas = element("canvas", { id: "curve", class: "curve", role: "img", "aria-label": "Convergence of the trial" });
    this.shown = element("div", { class: "replay", hidden: true },
      element("figure", { class: "board" }, this.picture, this.caption),
      element("div", {}, element("label", { for: "replay-step" }, "Improvement"), this.slider, this.canvas));
    this.root = element("div", {},
      element("div", { class: "controls" },
        element("label", { for: "replay-arm" }, "Arm"), this.arm,
        element("label", { for: "replay-trial" }, "Trial"), this.trial,
        element("button", { type: "button", id: "replay-start", onclick: () => this.begin() }, "Replay")),
      this.words, this.shown);
    /** @type {Convergence | null} */
    this.curve = null;
    /** The arm of the address. @type {string | null} */
    this.wanted = null;
    const asked = new URLSearchParams(location.search);
    if (asked.has("trial")) {
      this.trial.value = asked.get("trial");
      this.wanted = asked.get("arm");
    }
  }

  /** @param {any[]} arms */
  arms(arms) {
    const labels = arms.map((arm) => arm.label);
    if (labels.join("\n") === this.labels) return;
    this.labels = labels.join("\n");
    // The page lists some of many arms: one that it does not list stays, and Replay asks for it.
    const chosen = this.wanted ?? this.arm.value;
    const all = chosen === "" || labels.includes(chosen) ? labels : [chosen, ...labels];
    this.arm.replaceChildren(...all.map((label) => element("option", { value: label, selected: label === chosen }, label)));
    // An address may come from anywhere: the user begins.
    if (this.wanted !== null && labels.length > 0) {
      this.wanted = null;
      this.say("This trial came with the address of this page. Replay runs it again.");
    }
  }

  async begin() {
    this.close();
    const trial = Number(this.trial.value);
    if (!Number.isInteger(trial) || trial < 0) {
      this.say("A trial's number is a whole number, from 0 on.", "wrong");
      return;
    }
    this.shown.hidden = true;
    this.say("Running it again …");
    const arm = this.arm.value;
    const link = new URLSearchParams({ arm, trial: String(trial) });
    history.replaceState(null, "", `?${link}`);
    try {
      const { id } = await post("/api/runs", { task: "replay", experiment: this.experiment, arm, trial });
      this.close = follow(`/api/runs/${id}/events`, {
        replayed: (replayed) => this.take(replayed),
        lost: ({ error }) => {
          this.close();
          this.say(error, "wrong");
        },
      }, () => this.say(BROKEN, "wrong"));
    } catch (error) {
      this.say(String(/** @type {any} */ (error).message), "wrong");
    }
  }

  /** @param {string} words @param {string} [kind] */
  say(words, kind = "") {
    setText(this.words, words);
    this.words.dataset.kind = kind;
  }

  /** @param {any} replayed */
  take(replayed) {
    this.close();
    this.replayed = replayed;
    const { ending, same, improvements, steps, seed } = replayed;
    const against = same === null ? "The tables do not have this trial." : same ? "It is the trial of the tables, field by field." : "It differs from the trial in the tables: `runner replay` says how.";
    const found = ending.success ? successWords(ending) : `${number(ending.evaluations)} evaluations.`;
    this.say(`Seed ${seed}. ${ending.words} Best fitness ${number(ending.best_fitness)}${violationWords(ending)} after ${number(improvements)} improvements. ${found} ${against}${ending.error ? ` ${ending.error}` : ""}`,
      same === false || ending.error ? "wrong" : "good");
    if (steps.length === 0) {
      this.shown.hidden = true;
      return;
    }
    this.shown.hidden = false;
    this.slider.max = String(steps.length - 1);
    this.slider.value = String(steps.length - 1);
    this.curve ??= new Convergence(this.canvas);
    this.curve.take({ replaces: true, points: replayed.points });
    this.curve.draw();
    this.show();
    this.slider.focus();
  }

  show() {
    const { steps } = this.replayed;
    const place = Number(this.slider.value);
    const { board, fitness, violation, generation, evaluations } = steps[place];
    showBoard(this.picture, board, "Board");
    const broken = violation ? `, violation ${number(violation)}` : "";
    const words = `Step ${place + 1} of ${steps.length}: fitness ${number(fitness)}${broken}, generation ${number(generation)}, evaluation ${number(evaluations)}`;
    setText(this.caption, `${words}. ${board.line.length <= 120 ? board.line : ""}`);
    this.slider.setAttribute("aria-valuetext", words);
  }
}
