// The settings of a search: an experiment in fields. Whatever is changed is checked at once, in
// the words of `runner check`.
// @ts-check
import { post } from "./api.js";
import { element, setText } from "./dom.js";
import { drawPanel } from "./panel.js";
import { rivalsOf } from "./rivals.js";
import { Raw, copyOf, toToml } from "./toml.js";

/** How long a field is quiet before its value is checked, in milliseconds. */
const QUIET = 150;

export class Settings {
  /**
   * @param {any} root where the fields go
   * @param {any} form what the server offers
   * @param {(settings: Settings) => void} changed is called after each check
   */
  constructor(root, form, changed) {
    this.root = root;
    this.form = form;
    this.changed = changed;
    /** @type {any} */
    this.config = {};
    this.trial = 0;
    /** What the last check said. @type {any} */
    this.checked = null;
    this.text = "";
    this.asked = 0;
    this.timer = 0;
    /** Whether the common starts are the page's doing. */
    this.paired = false;
  }

  /** Whether the settings can be run as they are. */
  get ready() {
    return (this.checked?.plan ?? null) !== null && this.checked.text === this.text && this.hasTrial;
  }

  /** Whether the number of the trial is one. */
  get hasTrial() {
    return Number.isSafeInteger(this.trial) && this.trial >= 0;
  }

  /** The encoding of the problem that was checked last. @returns {string | undefined} */
  get encoding() {
    return this.checked?.plan?.arms?.[0]?.encoding;
  }

  /** Shows an experiment. What has no field, such as a sweep, is kept as it is.
   * @param {any} config as the server's JSON has it
   * @param {string[][]} [sweeps] keys of each sweep in their order, which JSON does not keep */
  show(config, sweeps = []) {
    const { problem } = config;
    const plugin = this.form.problems.find((/** @type {any} */ one) => one.name === problem?.plugin);
    const words = (plugin?.parameters ?? []).filter((/** @type {any} */ { type }) => type !== "integer" && type !== "real");
    this.config = exactOf(config, ["name", ...words.map((/** @type {any} */ { key }) => key)]);
    const { sweep } = this.config;
    const sorted = (/** @type {any} */ table, /** @type {string[]} */ keys = Object.keys(table)) => Object.fromEntries(keys.map((key) => [key, table[key]]));
    if (Array.isArray(sweep)) this.config.sweep = sweep.map((table, place) => sorted(table, sweeps[place]));
    else if (sweep !== undefined) this.config.sweep = sorted(sweep, sweeps[0]);
    this.config.problem ??= {};
    this.config.stop ??= {};
    this.config.operators = (this.config.operators ?? [{}]).map((/** @type {any} */ set) => this.own(set));
    this.paired = false;
    this.draw();
    this.check();
  }

  /** An operator set without its preset: all that the preset says, and what is said over it.
   * @param {any} set */
  own(set) {
    const preset = this.form.presets.find((/** @type {any} */ one) => one.name === set.preset);
    if (!preset) return set;
    const { preset: name, ...over } = set;
    return { name, ...structuredClone(preset.table), ...over };
  }

  /** Takes a value at a key; undefined: nothing stands there. */
  set(/** @type {any} */ table, /** @type {string} */ key, /** @type {any} */ value, /** @type {boolean} */ redraw = false) {
    if (value === undefined) delete table[key];
    else table[key] = value;
    if (redraw) this.draw();
    this.later();
  }

  /** Draws the fields anew, and checks them. */
  redo() {
    this.draw();
    this.later();
  }

  /** Goes on to the trial after this one: other random numbers, the same settings. */
  nextTrial() {
    this.trial = this.hasTrial ? this.trial + 1 : 0;
    this.draw();
    this.changed(this);
  }

  later() {
    clearTimeout(this.timer);
    this.text = toToml(this.config);
    this.changed(this);
    this.timer = setTimeout(() => this.check(), QUIET);
  }

  async check() {
    this.text = toToml(this.config);
    const [text, turn] = [this.text, ++this.asked];
    const answer = await checkOf(text);
    if (turn !== this.asked) return;
    const encoding = this.encoding;
    this.checked = { ...answer, text };
    if (answer.plan && this.encoding !== encoding) this.draw();
    this.fault();
    this.changed(this);
  }

  /** Takes another problem. The target is the problem's own again, and operator sets that do not fit
   * it give way to the first one that does. @param {string} plugin */
  async choose(plugin) {
    const { config } = this;
    config.problem = { plugin };
    delete config.stop.fitness;
    this.redo();
    const { text } = this;
    if ((await checkOf(text)).plan) return;
    const isSame = () => this.config === config && this.text === text;
    const fitting = await this.fitting((rival) => ({ ...copyOf(config), operators: [rival] }), isSame);
    if (!fitting) return;
    this.config = fitting;
    this.redo();
  }

  /** The settings with the first operator set unlike those that are there with which they are
   * valid; null where there are none, or where another change came in between.
   * @param {(rival: any) => any} wishedOf @param {() => boolean} isSame */
  async fitting(wishedOf, isSame) {
    const presets = this.form.presets.map((/** @type {any} */ one) => this.own({ preset: one.name }));
    for (const rival of rivalsOf(this.config.operators, presets)) {
      const wished = wishedOf(rival);
      const { plan } = await checkOf(toToml(wished));
      if (!isSame()) return null;
      if (plan) return wished;
    }
    return null;
  }

  /** Adds an operator set that is valid and unlike those that are there. */
  async addSet() {
    const before = this.config;
    const pairing = before.pairing ?? "common";
    const isSame = () => this.config === before;
    const fitting = await this.fitting((rival) => ({ ...copyOf(before), pairing, operators: [...copyOf(before).operators, rival] }), isSame);
    if (!isSame()) return;
    if (fitting) {
      this.paired = before.pairing === undefined;
      this.config = fitting;
      this.redo();
      return;
    }
    setText(this.root.querySelector("#other-faults"), "No further operator set was found that fits these settings. Correct what is wrong first.");
  }

  /** @param {number} place */
  removeSet(place) {
    this.config.operators.splice(place, 1);
    if (this.config.operators.length === 1 && this.paired) delete this.config.pairing;
    this.redo();
  }

  /** The first thing that is wrong, in words. */
  get wrong() {
    if (!this.hasTrial) return "the trial is a whole number, from 0 on.";
    const first = (this.checked?.diagnostics ?? []).find((/** @type {any} */ one) => one.severity === "error");
    return first ? `${first.message}${first.help ? `; ${first.help}` : ""}.` : "";
  }

  /** Shows what is wrong beside the fields that are to blame. */
  fault() {
    for (const field of this.root.querySelectorAll("[data-field]")) {
      field.classList.remove("wrong");
      setText(field.querySelector(".fault"), "");
      field.querySelector("input, select")?.removeAttribute("aria-invalid");
    }
    const others = [];
    for (const one of this.checked?.diagnostics ?? []) {
      const words = [one.message, one.label && !one.message.includes(one.label) ? one.label : "", one.rule, one.help]
        .filter(Boolean).map((part) => (part[0].toUpperCase() + part.slice(1)).replace(/\.?$/, ".")).join(" ");
      const field = one.severity === "error" ? this.fieldAt(one.path) : null;
      if (field) blame(field, words);
      else others.push(words);
    }
    if (!this.hasTrial) blame(this.fieldAt("trial"), "The trial is a whole number, from 0 on.");
    const place = this.root.querySelector("#other-faults");
    if (place) place.replaceChildren(...others.map((words) => element("p", {}, words)));
  }

  /** The field of a key, or of the table around it. @param {string | null} path */
  fieldAt(path) {
    for (let at = path ?? ""; at !== ""; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
      const found = this.root.querySelector([at, `${at}.kind`, `${at}.plugin`].map((key) => `[data-field="${CSS.escape(key)}"]`).join());
      if (found) return found;
    }
    return null;
  }

  draw() {
    const active = /** @type {any} */ (document.activeElement);
    const focused = active?.getAttribute("data-path");
    const [from, to] = [active?.selectionStart, active?.selectionEnd];
    const open = [...this.root.querySelectorAll("details[open]")].map((one) => one.dataset.name);
    this.root.replaceChildren(...drawPanel(this));
    for (const one of this.root.querySelectorAll("details")) {
      if (open.includes(one.dataset.name)) one.open = true;
    }
    const again = focused ? this.root.querySelector(`[data-path="${CSS.escape(focused)}"]`) : null;
    again?.focus();
    // Whoever is typing goes on where they were.
    if (Number.isInteger(from)) again?.setSelectionRange?.(from, to);
    this.fault();
  }
}

/** A copy in which integers that JSON's readers may not hold exactly, and which the server therefore
 * gives as texts, are numbers again. @param {any} value @param {string[]} words keys of texts
 * @param {string} [key] @returns {any} */
function exactOf(value, words, key = "") {
  if (Array.isArray(value)) return value.map((one) => exactOf(one, words, key));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, exactOf(one, words, key)]));
  }
  const isInteger = typeof value === "string" && /^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value));
  return isInteger && !words.includes(key.slice(key.lastIndexOf(".") + 1)) ? new Raw(value) : value;
}

/** What the server says of a text. @param {string} text @returns {Promise<any>} */
async function checkOf(text) {
  try {
    return await post("/api/check", { text });
  } catch (error) {
    const message = String(/** @type {any} */ (error).message);
    return { plan: null, diagnostics: [{ severity: "error", path: "", message }] };
  }
}

/** Marks a field as wrong, and brings it to light. @param {any} field @param {string} words */
function blame(field, words) {
  field.classList.add("wrong");
  setText(field.querySelector(".fault"), words);
  field.querySelector("input, select")?.setAttribute("aria-invalid", "true");
  for (let at = field.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
}
