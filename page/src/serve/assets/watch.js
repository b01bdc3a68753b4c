// The page "Watch": settings beside one search that runs, or several side by side.
// @ts-check
import { addressOf, keep, showAddress } from "./address.js";
import { aheadWords } from "./ahead.js";
import { BROKEN, follow, get, post } from "./api.js";
import { showBirths } from "./births.js";
import { Controls } from "./controls.js";
import { byId, element, number, setText } from "./dom.js";
import { offerFiles } from "./form.js";
import { Keep } from "./keep.js";
import { Lane, endingWords } from "./lane.js";
import { COLOURS } from "./plot.js";
import { Repeat } from "./repeat.js";
import { MOST_SETS } from "./rivals.js";
import { Settings } from "./settings.js";
import { armChoice, courseOf, shareAxes } from "./side.js";

class Watch {
  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {Settings | null} */
    this.settings = null;
    /** @type {Lane[]} */
    this.lanes = [];
    /** Labels of the arms in the lanes, and where the arms are in the plan. */
    this.shown = "";
    /** @type {number[]} */
    this.arms = [0];
    /** Whether these arms search the same problem: a sweep may have several. */
    this.isComparable = true;
    /** The arm that is watched alone; null: all side by side. @type {number | null} */
    this.alone = null;
    /** What runs: the experiment's text and the trial. */
    this.running = "";
    /** What is said while nothing runs. @type {{ words: string, kind: string } | null} */
    this.note = null;
    /** Whether the speed control paused the search. */
    this.stepping = false;
    /** The name of what runs. @type {string | null} */
    this.id = null;
    this.isStarting = false;
    this.wanted = 0;
    /** Orders to searches that start. @type {any[]} */
    this.waiting = [];
    this.close = () => {};
    this.drawn = 0;
    this.build();
    this.controls = new Controls(byId("controls"), byId("bench"), {
      start: () => this.startOrPause(),
      step: () => this.step(),
      restart: () => this.begin(this.controls.pace === 0),
      next: () => this.next(),
      pace: () => this.changePace(),
    });
    this.repeat = new Repeat(byId("repeat"));
    this.keep = new Keep(byId("keep"));
    this.lay([""]);
    this.enable();
  }

  build() {
    const section = (/** @type {string} */ name, /** @type {string} */ title) =>
      element("section", { class: name, "aria-labelledby": `${name}-title` },
        element("h2", { id: `${name}-title` }, title), element("div", { id: name }));
    this.root.replaceChildren(
      element("p", { id: "state", class: "state", role: "status", "aria-live": "polite" }, ""),
      element("p", { id: "ahead", class: "ahead" }),
      element("div", { id: "which", class: "controls" }),
      element("div", { id: "lanes", class: "lanes" }),
      section("happens", "What happens in a generation"),
      section("repeat", "Repeat"),
      section("keep", "Take it away"));
  }

  /** Makes a lane for each label. @param {string[]} labels */
  lay(labels) {
    const { note } = this;
    this.leave();
    this.note = note;
    const several = labels.length > 1;
    this.lanes = labels.map((label, place) => new Lane(place, several, label));
    const place = byId("lanes");
    place.dataset.count = String(labels.length);
    place.replaceChildren(...this.lanes.map((lane) => lane.root));
    for (const lane of this.lanes) {
      if (several) lane.curve.shade = COLOURS[lane.place];
      lane.curve.zoomed = (window) => {
        for (const other of this.lanes) other.curve.window = window;
        this.draw();
      };
      lane.curve.draw();
    }
    setText(byId("ahead"), "");
    showBirths(byId("happens"), [], several);
  }

  /** The state of all lanes together. */
  get state() {
    if (this.isStarting) return "starting";
    if (this.id === null) return "idle";
    const has = (/** @type {string} */ state) => this.lanes.some((lane) => lane.frame?.state === state);
    return has("running") ? "running" : has("paused") ? "paused" : "idle";
  }

  /** What the settings are by now. @param {Settings} settings */
  take(settings) {
    this.settings = settings;
    this.keep.take(settings);
    const link = addressOf(settings.text, settings.hasTrial ? settings.trial : 0);
    keep(settings.text);
    if (location.hash !== link) history.replaceState(null, "", link);
    const running = `${settings.text} ${settings.trial}`;
    // Any change makes a fresh run; a run of other settings than those shown is none.
    if (running !== this.running) {
      this.running = running;
      const note = this.state === "idle" ? null : { words: "The settings changed: Start begins a new search.", kind: "" };
      this.leave();
      this.note = note;
    }
    if (settings.ready) this.choose();
    this.repeat.take(settings);
    this.enable();
  }

  /** Takes the arms that are watched from the plan, and offers to watch one of several alone. */
  choose() {
    const { arms, count } = this.settings?.checked.plan;
    if (this.alone !== null && this.alone >= arms.length) this.alone = null;
    const first = arms.map((/** @type {any} */ _, /** @type {number} */ place) => place).slice(0, MOST_SETS);
    this.arms = this.alone === null ? first : [this.alone];
    this.isComparable = new Set(this.arms.map((place) => arms[place].problem)).size === 1;
    const labels = this.arms.map((place) => arms[place].label);
    const shown = JSON.stringify([labels, arms.map((/** @type {any} */ one) => one.label)]);
    if (shown === this.shown) return;
    this.shown = shown;
    byId("which").replaceChildren(...armChoice(arms, count, this.alone, (place) => {
      this.alone = place;
      this.note = null;
      this.choose();
      this.enable();
      byId("watched").focus();
    }));
    this.lay(labels);
  }

  enable() {
    const ready = this.settings?.ready ?? false;
    const { state } = this;
    this.controls.enable({ ready, state });
    if (state !== "idle") return;
    if (!ready && this.settings?.checked) this.say(`A setting is wrong: ${this.settings.wrong}`, "wrong");
    else if (ready) this.say(this.note?.words ?? "Ready. Start runs the search, One generation goes step by step.", this.note?.kind);
  }

  /** @param {string} words @param {string} [kind] */
  say(words, kind = "") {
    const place = byId("state");
    setText(place, words);
    place.dataset.kind = kind;
  }

  startOrPause() {
    const { state } = this;
    if (state === "running" || state === "starting") this.tell({ order: "pause" });
    else if (state === "paused" && this.controls.pace === 0) this.step();
    else if (state === "paused") this.tell({ order: "resume" });
    else this.begin(this.controls.pace === 0);
  }

  step() {
    if (this.state !== "idle") this.tell({ order: "step" });
    else this.begin(true);
  }

  next() {
    this.settings?.nextTrial();
    this.begin(this.controls.pace === 0);
  }

  changePace() {
    const { pace } = this.controls;
    if (pace === 0) {
      this.stepping = this.state === "running";
      if (this.stepping) this.tell({ order: "pause" });
      return;
    }
    this.tell({ order: "pace", pace });
    if (this.stepping && this.state === "paused") this.tell({ order: "resume" });
    this.stepping = false;
  }

  /** Tells the searches of all lanes. @param {any} order */
  async tell(order) {
    if (this.isStarting) {
      // What is told while they start is told when they have.
      this.waiting.push(order);
      return;
    }
    if (this.id === null) return;
    try {
      await post(`/api/runs/${this.id}/order`, order);
    } catch (error) {
      this.lose(error);
    }
  }

  /** @param {boolean} paused */
  async begin(paused) {
    if (!this.settings?.ready) return;
    const { text, trial } = this.settings;
    this.leave();
    this.running = `${text} ${trial}`;
    this.isStarting = true;
    for (const lane of this.lanes) lane.clear();
    setText(byId("ahead"), "");
    this.enable();
    this.say("Starting …");
    const turn = this.wanted;
    // Those side by side go on when all of them have their first generation.
    const together = this.lanes.length > 1 && !paused;
    // At single steps the pace means nothing.
    const pace = this.controls.pace === 0 ? 1 : this.controls.pace;
    const wish = { task: "watch", text, arms: this.arms, trial, pace, paused: paused || together };
    try {
      const { id } = await post("/api/runs", wish);
      if (turn !== this.wanted) {
        post(`/api/runs/${id}/order`, { order: "end" }).catch(() => {});
        return;
      }
      this.id = id;
      this.close = follow(`/api/runs/${id}/events`, {
        trial: (frame, place) => this.receive(frame, this.lanes[Number(place)]),
        lost: ({ error }) => this.lose(new Error(error)),
      }, () => this.lose(new Error(BROKEN)));
      if (together) this.waiting.unshift({ order: "resume" });
    } catch (error) {
      if (turn === this.wanted) this.lose(error);
    }
  }

  /** Ends what runs, without a word. */
  leave() {
    this.wanted++;
    this.close();
    if (this.id !== null) post(`/api/runs/${this.id}/order`, { order: "end" }).catch(() => {});
    this.id = null;
    this.isStarting = false;
    this.waiting = [];
    this.note = null;
    this.close = () => {};
  }

  /** @param {any} error */
  lose(error) {
    this.leave();
    this.note = { words: String(error.message), kind: "wrong" };
    this.enable();
  }

  /** Takes what is new in a lane. However fast it comes, the browser says when it is shown.
   * @param {any} frame @param {Lane} lane */
  receive(frame, lane) {
    lane.take(frame);
    this.drawn ||= requestAnimationFrame(() => {
      this.drawn = 0;
      this.show();
    });
    if (this.lanes.some((one) => one.frame === null)) return;
    if (this.isStarting) {
      this.isStarting = false;
      for (const order of this.waiting.splice(0)) this.tell(order);
    }
    if (this.lanes.every((one) => one.frame.state === "ended")) {
      this.close();
      this.id = null;
      this.note = this.ending();
    }
  }

  /** Shows all that is new. */
  show() {
    const [first] = this.lanes;
    if (this.lanes.length === 1 && first.frame) showBirths(byId("happens"), first.frame.births, false);
    this.draw();
    if (this.id !== null && !this.isStarting) this.say(this.words());
    this.enable();
  }

  words() {
    if (this.state === "running") return "Running.";
    const frames = this.lanes.map((lane) => lane.frame).filter((frame) => frame.state === "paused");
    return `Paused after generation ${[...new Set(frames.map((frame) => number(frame.now.generation)))].join(" and ")}.`;
  }

  /** How all ended. */
  ending() {
    const endings = this.lanes.map((lane) => lane.frame.ending);
    const kind = endings.some((one) => one.error) ? "wrong" : endings.some((one) => one.success) ? "good" : "";
    const words = this.lanes.length === 1 ? endingWords(endings[0]) : "All have ended.";
    return { words: `${words} Restart runs it again; Next trial has other random numbers.`, kind };
  }

  /** Draws the curves, those side by side on common axes, and says who is ahead. */
  draw() {
    const { lanes } = this;
    if (lanes.length > 1) {
      shareAxes(lanes);
      const isWhole = lanes.every((lane) => lane.frame !== null) && this.isComparable;
      setText(byId("ahead"), isWhole ? aheadWords(lanes.map(courseOf)) : "");
    }
    for (const lane of lanes) lane.draw();
  }
}

async function begin() {
  // On a narrow screen the settings are there when they are asked for.
  byId("settings-box").open = !matchMedia("(max-width: 900px)").matches;
  const watch = new Watch(byId("stage"));
  try {
    const form = await get("/api/form");
    if (form.problems.length === 0) {
      byId("settings").replaceChildren(element("p", {}, "No problems were found. Build the included ones with `cargo build --release`, or start `runner serve` with --plugin-dir."));
      return;
    }
    const settings = new Settings(byId("settings"), form, (changed) => watch.take(changed));
    await showAddress(form, settings);
    window.addEventListener("hashchange", () => showAddress(form, settings));
    // Whoever comes back may have put a file there meanwhile. Without an answer, nothing changes.
    window.addEventListener("focus", () => get("/api/data").then((names) => offerFiles(form, names), () => {}));
  } catch (error) {
    byId("settings").replaceChildren(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
  }
}

begin();
