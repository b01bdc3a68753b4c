// The page "Watch": settings beside a search that runs.
// @ts-check
import { addressOf, keep, showAddress } from "./address.js";
import { BROKEN, follow, get, post } from "./api.js";
import { byId, element, number, pictureAddress, setText, showBoard, successWords } from "./dom.js";
import { Convergence, drawStrip } from "./plot.js";
import { Repeat } from "./repeat.js";
import { Settings } from "./settings.js";

/** Positions of the speed control: generations a second; null: as fast as it goes. */
const PACES = [1, 2, 5, 10, 20, 50, 100, 1000, null];

/** A speed in words. @param {number | null} pace */
function paceWords(pace) {
  return pace === null ? "as fast as it goes" : `${number(pace)} generation${pace === 1 ? "" : "s"} a second`;
}

class Watch {
  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {Settings | null} */
    this.settings = null;
    /** @type {string | null} */
    this.id = null;
    this.state = "idle";
    this.started = 0;
    this.wanted = 0;
    /** Orders to a search that is starting. @type {any[]} */
    this.waiting = [];
    this.close = () => {};
    /** What runs: the experiment's text and the trial. */
    this.running = "";
    /** What is said while nothing runs. @type {string | undefined} */
    this.note = undefined;
    this.build();
    this.curve = new Convergence(byId("curve"));
    this.curve.draw();
    this.repeat = new Repeat(byId("repeat"));
    document.addEventListener("keydown", (event) => this.key(event));
    this.enable();
  }

  build() {
    const button = (/** @type {string} */ id, /** @type {string} */ words, /** @type {string} */ key, /** @type {() => void} */ act) =>
      element("button", { type: "button", id, onclick: act, "aria-keyshortcuts": key, title: `${words} (${key})` }, words);
    this.root.replaceChildren(
      element("div", { class: "controls", role: "group", "aria-label": "Search controls" },
        button("start", "Start", "s", () => this.startOrPause()),
        button("step", "One generation", "n", () => this.step()),
        button("restart", "Restart", "r", () => this.restart()),
        element("label", { for: "pace" }, "Speed"),
        element("input", { id: "pace", type: "range", min: "0", max: String(PACES.length - 1), step: "1", value: "3", "aria-valuetext": paceWords(10), oninput: () => this.changePace() }),
        element("output", { for: "pace", id: "pace-words" }, paceWords(10)),
        button("full", "Full screen", "f", () => this.fullScreen())),
      element("p", { id: "state", class: "state", role: "status", "aria-live": "polite" }, ""),
      element("div", { class: "scene" },
        element("figure", { class: "board" },
          element("div", { id: "board" }, element("p", { class: "empty" }, "The best board so far appears here.")),
          element("figcaption", { id: "board-words" }, "")),
        element("div", { class: "curves" },
          element("dl", { class: "facts", id: "facts" }),
          element("canvas", { id: "curve", role: "img", "aria-label": "Convergence: fitness by generation" }),
          element("p", { class: "legend" },
            element("span", { class: "first" }, "best so far"), " ",
            element("span", { class: "second" }, "mean"), " ",
            element("span", { class: "third" }, "worst"), " ",
            element("span", { class: "dots" }, "individuals")))),
      element("figure", { class: "population" },
        element("figcaption", {}, "The population: a row per individual, best first; a column per gene; colours are values. Alike rows are alike individuals."),
        element("canvas", { id: "strip", role: "img", "aria-label": "The population's genes" }),
        element("div", { id: "boards", class: "boards" })),
      element("section", { class: "repeat", "aria-labelledby": "repeat-title" },
        element("h2", { id: "repeat-title" }, "Repeat"), element("div", { id: "repeat" })),
      element("section", { class: "keep", "aria-labelledby": "keep-title" },
        element("h2", { id: "keep-title" }, "Take it away"),
        element("p", { class: "help" }, "These settings are an experiment file. Running it gives the trials that are watched here, byte for byte. The address of this page holds the settings too."),
        element("div", { class: "controls" },
          element("button", { type: "button", id: "copy", onclick: () => this.copy() }, "Copy as TOML"),
          element("label", { for: "save-name" }, "Name"),
          element("input", { id: "save-name", type: "text", value: "watched", spellcheck: "false", autocomplete: "off" }),
          element("button", { type: "button", id: "save", onclick: () => this.save() }, "Save as experiment"),
          element("span", { id: "kept", role: "status" })),
        element("pre", { id: "toml", tabindex: "0", "aria-label": "Experiment file" })));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {any} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches?.("input:not([type=range]), textarea, select")) return;
    const acts = { s: "start", n: "step", r: "restart", f: "full" };
    const id = acts[/** @type {keyof typeof acts} */ (event.key)];
    if (!id) return;
    event.preventDefault();
    if (!byId(id).disabled) byId(id).click();
  }

  get pace() {
    return PACES[Number(byId("pace").value)];
  }

  /** What the settings are by now. @param {Settings} settings */
  take(settings) {
    this.settings = settings;
    setText(byId("toml"), settings.text);
    const link = addressOf(settings.text, settings.trial);
    keep(settings.text);
    if (location.hash !== link) history.replaceState(null, "", link);
    const running = `${settings.text} ${settings.trial}`;
    // Any change makes a fresh run; a run of other settings than those shown is none.
    if (running !== this.running) {
      this.running = running;
      if (this.id !== null) this.end("The settings changed: Start begins a new search.");
      else this.note = undefined;
    }
    this.repeat.take(settings);
    this.enable();
  }

  enable() {
    const ready = this.settings?.ready ?? false;
    const going = this.state === "running" || this.state === "paused" || this.state === "starting";
    byId("start").disabled = !ready && !going;
    byId("step").disabled = !ready && !going;
    byId("restart").disabled = !ready;
    byId("copy").disabled = !ready;
    byId("save").disabled = !ready;
    setText(byId("start"), this.state === "running" || this.state === "starting" ? "Pause" : this.state === "paused" ? "Go on" : "Start");
    if (!ready && !going && this.settings?.checked) this.say(`A setting is wrong: ${this.settings.wrong}`, "wrong");
    else if (this.state === "idle" && ready) this.say(this.note ?? "Ready. Start runs the search, One generation goes step by step.");
  }

  /** @param {string} words @param {string} [kind] */
  say(words, kind = "") {
    const place = byId("state");
    setText(place, words);
    place.dataset.kind = kind;
  }

  startOrPause() {
    if (this.state === "running" || this.state === "starting") this.tell({ order: "pause" });
    else if (this.state === "paused") this.tell({ order: "resume" });
    else this.begin(false);
  }

  step() {
    if (this.state === "running" || this.state === "paused" || this.state === "starting") this.tell({ order: "step" });
    else this.begin(true);
  }

  restart() {
    this.begin(false);
  }

  changePace() {
    setText(byId("pace-words"), paceWords(this.pace));
    byId("pace").setAttribute("aria-valuetext", paceWords(this.pace));
    this.tell({ order: "pace", pace: this.pace });
  }

  /** @param {any} order */
  async tell(order) {
    if (this.id === null) {
      // What is told while the search starts is told when it has.
      if (this.state === "starting") this.waiting.push(order);
      return;
    }
    try {
      await post(`/api/runs/${this.id}/order`, order);
    } catch (error) {
      this.end(String(/** @type {any} */ (error).message), "wrong");
    }
  }

  /** @param {boolean} paused */
  async begin(paused) {
    if (!this.settings?.ready) return;
    const { text, trial } = this.settings;
    this.leave();
    this.waiting = [];
    this.note = undefined;
    this.running = `${text} ${trial}`;
    this.state = "starting";
    this.curve.clear();
    this.curve.now = undefined;
    this.enable();
    this.say("Starting …");
    const turn = ++this.wanted;
    try {
      const { id } = await post("/api/runs", { task: "watch", text, arm: 0, trial, pace: this.pace, paused });
      if (turn !== this.wanted) {
        post(`/api/runs/${id}/order`, { order: "end" }).catch(() => {});
        return;
      }
      this.id = id;
      for (const order of this.waiting.splice(0)) await this.tell(order);
      if (turn !== this.wanted) return;
      this.close = follow(`/api/runs/${id}/events`, {
        trial: (frame) => this.show(frame),
        lost: ({ error }) => this.end(error, "wrong"),
      }, () => this.end(BROKEN, "wrong"));
    } catch (error) {
      if (turn === this.wanted) this.end(String(/** @type {any} */ (error).message), "wrong");
    }
  }

  /** Ends what runs, without a word. */
  leave() {
    this.wanted++;
    this.close();
    if (this.id !== null) post(`/api/runs/${this.id}/order`, { order: "end" }).catch(() => {});
    this.id = null;
    this.close = () => {};
  }

  /** @param {string} words @param {string} [kind] */
  end(words, kind = "") {
    this.leave();
    this.state = "idle";
    this.note = words;
    this.enable();
    this.say(words, kind);
  }

  /** @param {any} frame */
  show(frame) {
    this.state = frame.state;
    this.curve.take(frame.convergence);
    this.curve.draw(frame.now);
    if (frame.board) this.board(frame);
    this.facts(frame);
    drawStrip(byId("strip"), frame.strip);
    byId("strip").setAttribute("aria-label", `Genes of ${frame.strip.rows} of ${frame.population} individuals, best first`);
    this.pictures(frame.boards);
    if (frame.state === "ended") this.over(frame);
    else {
      this.say(frame.state === "paused" ? `Paused after generation ${number(frame.now.generation)}.` : "Running.");
      this.enable();
    }
  }

  /** @param {any} frame */
  board({ board }) {
    showBoard(byId("board"), board, "Best board so far");
    setText(byId("board-words"), board.line.length <= 120 ? board.line : `${board.line.slice(0, 120)} …`);
  }

  /** @param {any} frame */
  facts({ now, violation, population, trial, seed, ending }) {
    const rows = [
      ["best fitness", now.best_so_far === null ? "no feasible genome yet" : number(now.best_so_far)],
      ["generation", number(now.generation)],
      ["evaluations", number(ending ? ending.evaluations : now.evaluations)],
      ["mean", number(now.mean)],
      ["population", number(population)],
      ["trial", `${number(trial)} (seed ${seed})`],
    ];
    if (violation) rows.push(["violation of the best", number(violation[0])], ["feasible", `${(violation[1] * 100).toFixed(0)} %`]);
    const list = byId("facts");
    if (list.children.length !== rows.length) {
      list.replaceChildren(...rows.map(([name]) => element("div", {}, element("dt", {}, name), element("dd", {}, ""))));
    }
    rows.forEach(([, value], place) => setText(list.children[place].lastChild, value));
  }

  /** @param {string[]} boards */
  pictures(boards) {
    const place = byId("boards");
    if (boards.length === 0) {
      if (place.firstChild?.tagName !== "P") place.replaceChildren(element("p", { class: "help" }, "The best individuals are drawn when the search is paused, or goes at 5 generations a second or slower."));
      return;
    }
    if (place.firstChild?.tagName === "P") place.replaceChildren();
    while (place.children.length > boards.length) place.lastChild.remove();
    boards.forEach((svg, at) => {
      const image = place.children[at] ?? place.appendChild(element("img", { width: "72", height: "72" }));
      image.src = pictureAddress(svg);
      image.alt = `Individual ${at + 1} by fitness`;
    });
  }

  /** @param {any} frame */
  over({ ending }) {
    const success = ending.success ? `${successWords(ending)} ` : ending.error ? "" : "No success. ";
    const words = `${success}${ending.words}${ending.error ? ` ${ending.error}` : ""} Best fitness ${number(ending.best_fitness)}, generation ${number(ending.generations)}.`;
    this.close();
    this.id = null;
    this.state = "idle";
    this.note = `${words} Restart runs it again; another trial has other random numbers.`;
    this.enable();
    this.say(this.note, ending.error ? "wrong" : ending.success ? "good" : "");
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.settings?.text ?? "");
      setText(byId("kept"), "Copied.");
    } catch {
      const range = document.createRange();
      range.selectNodeContents(byId("toml"));
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      setText(byId("kept"), "The browser does not let the page copy; the text is selected: press Ctrl-C.");
    }
  }

  async save() {
    const name = byId("save-name").value.trim();
    const text = this.settings?.text ?? "";
    try {
      const { command } = await post("/api/save", { name, text });
      setText(byId("kept"), `Saved. Run it with: ${command}`);
    } catch (error) {
      setText(byId("kept"), String(/** @type {any} */ (error).message));
    }
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
  } catch (error) {
    byId("settings").replaceChildren(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
  }
}

begin();
