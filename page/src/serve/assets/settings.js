// The settings of a search: an experiment in fields. Whatever is changed is checked at once, in
// the words of `runner check`.
// @ts-check
import { post } from "./api.js";
import { element, setText } from "./dom.js";
import { choiceOf, fieldOf } from "./form.js";
import { Raw, toToml } from "./toml.js";

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
  }

  /** Whether the settings can be run as they are. */
  get ready() {
    return this.checked?.plan !== null && this.checked?.plan !== undefined && this.checked.text === this.text;
  }

  /** Shows an experiment. @param {any} config as the server's JSON has it */
  show(config) {
    this.config = structuredClone(config);
    if (typeof this.config.seed === "string") this.config.seed = new Raw(this.config.seed);
    for (const key of ["sweep", "baseline", "output"]) delete this.config[key];
    if (typeof this.config.repeats === "object") this.config.repeats = this.config.repeats?.max ?? 1000;
    this.config.problem ??= {};
    this.config.stop ??= {};
    this.config.operators = (this.config.operators ?? [{}]).map((/** @type {any} */ set) => this.own(set));
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

  later() {
    clearTimeout(this.timer);
    this.text = toToml(this.config);
    this.changed(this);
    this.timer = setTimeout(() => this.check(), QUIET);
  }

  async check() {
    this.text = toToml(this.config);
    const [text, turn] = [this.text, ++this.asked];
    let answer;
    try {
      answer = await post("/api/check", { text });
    } catch (error) {
      answer = { plan: null, diagnostics: [{ severity: "error", path: "", message: String(/** @type {any} */ (error).message) }] };
    }
    if (turn !== this.asked) return;
    const encoding = this.checked?.plan?.arms?.[0]?.encoding;
    this.checked = { ...answer, text };
    if (answer.plan && answer.plan.arms[0].encoding !== encoding) this.draw();
    this.fault();
    this.changed(this);
  }

  /** The first thing that is wrong, in words. */
  get wrong() {
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
      if (!field) {
        others.push(words);
        continue;
      }
      field.classList.add("wrong");
      setText(field.querySelector(".fault"), words);
      field.querySelector("input, select")?.setAttribute("aria-invalid", "true");
    }
    const place = this.root.querySelector("#other-faults");
    if (place) place.replaceChildren(...others.map((words) => element("p", {}, words)));
  }

  /** The field of a key, or of the table around it. @param {string | null} path */
  fieldAt(path) {
    for (let at = path ?? ""; at !== ""; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
      const found = this.root.querySelector(`[data-field="${CSS.escape(at)}"], [data-field="${CSS.escape(at + ".kind")}"]`);
      if (found) return found;
    }
    return null;
  }

  draw() {
    const focused = document.activeElement?.getAttribute("data-path");
    const open = [...this.root.querySelectorAll("details[open]")].map((one) => one.dataset.name);
    this.root.replaceChildren(
      this.start(),
      this.problem(),
      ...this.config.operators.map((/** @type {any} */ set, /** @type {number} */ place) => this.operators(set, place)),
      this.second(),
      this.stop(),
      this.which(),
      element("div", { id: "other-faults", class: "fault", role: "alert" }));
    for (const one of this.root.querySelectorAll("details")) {
      if (open.includes(one.dataset.name)) one.open = true;
    }
    if (focused) this.root.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
    this.fault();
  }

  start() {
    const options = [{ value: "", words: "choose …" },
      ...this.form.ready.map((/** @type {any} */ one, /** @type {number} */ place) => ({ value: String(place), words: one.title }))];
    const chosen = this.form.ready.findIndex((/** @type {any} */ one) => one.config.name === this.config.name);
    const words = this.form.ready[chosen]?.words ?? "Published systems, ready to run.";
    return choiceOf("Start from", words, "ready", options, String(chosen), (value) => {
      if (value !== "") this.show(this.form.ready[Number(value)].config);
    });
  }

  problem() {
    const plugins = this.form.problems;
    const { problem } = this.config;
    const plugin = plugins.find((/** @type {any} */ one) => one.name === problem.plugin);
    const options = plugins.map((/** @type {any} */ one) => ({ value: one.name, words: one.error ? `${one.name} (cannot be used)` : one.name }));
    const fields = (plugin?.parameters ?? []).map((/** @type {any} */ field) =>
      fieldOf(field, `problem.${field.key}`, problem[field.key], (value) => this.set(problem, field.key, value)));
    const help = plugin?.error ?? plugin?.summary ?? "What is searched.";
    return element("fieldset", {}, element("legend", {}, "Problem"),
      choiceOf("problem", help, "problem.plugin", options, problem.plugin, (value) => {
        this.config.problem = { plugin: value };
        this.draw();
        this.later();
      }), fields);
  }

  /** @param {any} set @param {number} place */
  operators(set, place) {
    const path = `operators.${place}`;
    const several = this.config.operators.length > 1;
    const legend = several ? `Operator set ${place + 1}` : "Operator set";
    const presets = [{ value: "", words: "choose …" },
      ...this.form.presets.map((/** @type {any} */ one) => ({ value: one.name, words: one.name }))];
    const preset = this.form.presets.find((/** @type {any} */ one) => one.name === set.name);
    const name = { key: "name", type: "text", low: null, high: null, words: null, default: null, derived: "made from its operators", required: false, doc: "What the set is called." };
    const algorithm = this.algorithmOf(set);
    const slots = this.form.slots.filter((/** @type {any} */ slot) =>
      slot.slot === "algorithm" || algorithm === "evolutionary" || set[slot.slot] !== undefined);
    return element("fieldset", {}, element("legend", {}, legend),
      choiceOf("fill in from", preset?.doc ?? "An operator set that ships with runner; every field can then be changed.", `${path}.preset`, presets, preset?.name ?? "", (value) => {
        if (value === "") return;
        this.config.operators[place] = this.own({ preset: value });
        this.draw();
        this.later();
      }),
      fieldOf(name, `${path}.name`, set.name, (value) => this.set(set, "name", value)),
      algorithm === "evolutionary" ? this.form.set.map((/** @type {any} */ field) =>
        fieldOf(field, `${path}.${field.key}`, set[field.key], (value) => this.set(set, field.key, value))) : [],
      slots.map((/** @type {any} */ slot) => this.slot(set, slot, path)),
      algorithm === "evolutionary" ? this.mix(set, path) : [],
      several ? element("button", { type: "button", onclick: () => {
        this.config.operators.splice(place, 1);
        this.draw();
        this.later();
      } }, `Remove set ${place + 1}`) : null);
  }

  /** @param {any} set */
  algorithmOf(set) {
    return (typeof set.algorithm === "object" ? set.algorithm.kind : set.algorithm) ?? "evolutionary";
  }

  /** @param {any} set @param {any} slot @param {string} path */
  slot(set, slot, path) {
    const value = set[slot.slot];
    const kind = typeof value === "object" ? value.kind : value;
    const encoding = this.checked?.plan?.arms?.[0]?.encoding;
    const fits = (/** @type {any} */ one) => !encoding || one.encodings.includes(encoding);
    const options = slot.operators.map((/** @type {any} */ one) => ({
      value: one.name, words: fits(one) ? one.name : `${one.name} (not for ${encoding})`, disabled: !fits(one) && one.name !== kind,
    }));
    const chosen = slot.operators.find((/** @type {any} */ one) => one.name === kind);
    const standing = slot.derived ?? "none";
    const help = chosen ? `${chosen.summary}${chosen.source === "-" ? "" : ` Source: ${chosen.source}.`}` : slot.doc;
    const fields = (chosen?.parameters ?? []).map((/** @type {any} */ field) =>
      fieldOf(field, `${path}.${slot.slot}.${field.key}`, typeof value === "object" ? value[field.key] : undefined, (given) => {
        const table = typeof set[slot.slot] === "object" ? set[slot.slot] : { kind };
        if (given === undefined) delete table[field.key];
        else table[field.key] = given;
        set[slot.slot] = Object.keys(table).length === 1 ? kind : table;
        this.later();
      }));
    return element("div", { class: "slot" },
      choiceOf(slot.slot, help, `${path}.${slot.slot}`, [{ value: "", words: `default: ${standing}` }, ...options], kind ?? "", (given) =>
        this.set(set, slot.slot, given === "" ? undefined : given, true)),
      fields.length ? element("div", { class: "nested" }, fields) : null);
  }

  /** @param {any} set @param {string} path */
  mix(set, path) {
    const fields = this.form.mix.map((/** @type {any} */ field) =>
      fieldOf(field, `${path}.mix.${field.key}`, set.mix?.[field.key], (value) => {
        set.mix ??= {};
        if (value === undefined) delete set.mix[field.key];
        else set.mix[field.key] = value;
        if (Object.keys(set.mix).length === 0) delete set.mix;
        this.later();
      }));
    return element("details", { "data-name": `${path}.mix`, open: set.mix !== undefined },
      element("summary", {}, "Shares of clone, crossover and mutation"),
      element("div", { "data-field": `${path}.mix` }, element("p", { class: "help" }, "In place of rates: each child is a copy, comes from crossover, or is a mutant."), element("p", { class: "fault", role: "alert" })),
      fields);
  }

  second() {
    if (this.config.operators.length > 1) return null;
    return element("button", { type: "button", onclick: () => {
      const first = this.config.operators[0];
      first.name ??= "first";
      this.config.operators.push({ ...structuredCloneOf(first), name: `${first.name}-2` });
      this.draw();
      this.later();
    } }, "Add a second operator set to race against");
  }

  stop() {
    const { stop } = this.config;
    return element("fieldset", { "data-field": "stop" }, element("legend", {}, "A trial ends"),
      element("p", { class: "fault", role: "alert" }),
      this.form.stop.map((/** @type {any} */ field) =>
        fieldOf(field, `stop.${field.key}`, stop[field.key], (value) => this.set(stop, field.key, value))));
  }

  which() {
    const [seed, repeats] = this.form.top;
    const trial = { key: "trial", type: "integer", low: 0, high: 1e15, words: null, default: 0, derived: null, required: false, doc: "Which trial is watched: each has random numbers of its own." };
    return element("fieldset", {}, element("legend", {}, "Trials"),
      fieldOf(trial, "trial", this.trial || undefined, (value) => {
        this.trial = value === undefined ? 0 : Number(value.typed);
        this.later();
      }),
      fieldOf(repeats, "repeats", this.config.repeats, (value) => this.set(this.config, "repeats", value)),
      fieldOf(seed, "seed", this.config.seed, (value) => this.set(this.config, "seed", value)));
  }
}

/** A copy of settings, with what stands in fields of numbers. @param {any} value @returns {any} */
function structuredCloneOf(value) {
  if (value instanceof Raw) return new Raw(value.typed);
  if (Array.isArray(value)) return value.map(structuredCloneOf);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structuredCloneOf(one)]));
  }
  return value;
}
