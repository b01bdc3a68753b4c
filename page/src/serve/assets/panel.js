// The panel of the settings: first the few that a lesson changes, the others folded below them.
// @ts-check
import { element } from "./dom.js";
import { choiceOf, fieldOf, more } from "./form.js";
import { MOST_SETS } from "./rivals.js";
import { drawSet } from "./sets.js";
import { inline } from "./toml.js";

/** @typedef {import("./settings.js").Settings} Settings */

/** Parameters of a problem that are always shown: its first, which set its kind and its size. */
const SHOWN_PARAMETERS = 2;
/** Keys of `[stop]` that are always shown. */
const SHOWN_STOPS = ["fitness", "generations", "evaluations"];

/** The fields of an experiment. @param {Settings} settings @returns {any[]} */
export function drawPanel(settings) {
  const { operators } = settings.config;
  return [
    readyChoice(settings),
    problem(settings),
    ...operators.map((/** @type {any} */ set, /** @type {number} */ place) => drawSet(settings, set, place)),
    ...addition(settings),
    stop(settings),
    sweep(settings),
    trials(settings),
    element("div", { id: "other-faults", class: "fault", role: "alert" })].filter((one) => one !== null);
}

/** @param {Settings} settings */
function readyChoice(settings) {
  const { ready } = settings.form;
  const options = [{ value: "", words: "choose …" },
    ...ready.map((/** @type {any} */ one, /** @type {number} */ place) => ({ value: String(place), words: one.title }))];
  const chosen = ready.findIndex((/** @type {any} */ one) => one.config.name === settings.config.name);
  const words = ready[chosen]?.words ?? "Published systems, ready to run.";
  return choiceOf("Start from", words, "ready", options, String(chosen), (value) => {
    if (value !== "") settings.show(ready[Number(value)].config);
  });
}

/** @param {Settings} settings */
function problem(settings) {
  const plugins = settings.form.problems;
  const { problem } = settings.config;
  const plugin = plugins.find((/** @type {any} */ one) => one.name === problem.plugin);
  const options = plugins.map((/** @type {any} */ one) => ({ value: one.name, words: one.error ? `${one.name} (cannot be used)` : one.name }));
  const fields = (plugin?.parameters ?? []).map((/** @type {any} */ field) =>
    fieldOf(field, `problem.${field.key}`, problem[field.key], (value) => settings.set(problem, field.key, value)));
  const help = plugin?.error ?? plugin?.summary ?? "What is searched.";
  return element("fieldset", {}, element("legend", {}, "Problem"),
    choiceOf("problem", help, "problem.plugin", options, problem.plugin, (value) => settings.choose(value)),
    fields.slice(0, SHOWN_PARAMETERS),
    more("problem", "of the problem", fields.slice(SHOWN_PARAMETERS)));
}

/** The button for a further operator set; none where there are as many as can be. @param {Settings} settings */
function addition(settings) {
  const count = settings.config.operators.length;
  if (count >= MOST_SETS) return [];
  const words = count === 1 ? "Add a second operator set" : "Add another operator set";
  return [element("button", { type: "button", id: "add-set", onclick: (/** @type {any} */ event) => {
    event.target.disabled = true;
    settings.addSet().finally(() => {
      event.target.disabled = false;
    });
  } }, words)];
}

/** @param {Settings} settings */
function stop(settings) {
  const { stop } = settings.config;
  const field = (/** @type {any} */ field) =>
    fieldOf(field, `stop.${field.key}`, stop[field.key], (value) => settings.set(stop, field.key, value));
  const { stop: all } = settings.form;
  const isShown = (/** @type {any} */ one) => SHOWN_STOPS.includes(one.key);
  return element("fieldset", { "data-field": "stop" }, element("legend", {}, "A trial ends at"),
    element("p", { class: "fault", role: "alert" }),
    all.filter(isShown).map(field),
    more("stop", "about the end of a trial", all.filter((/** @type {any} */ one) => !isShown(one)).map(field)));
}

/** A sweep that came with the experiment: it is kept, and can be removed. @param {Settings} settings */
function sweep(settings) {
  const { sweep } = settings.config;
  if (sweep === undefined) return null;
  const tables = Array.isArray(sweep) ? sweep : [sweep];
  const lines = tables.flatMap((table) => Object.entries(table).map(([key, values]) => `${key}: ${inline(values)}`));
  return element("fieldset", { "data-field": "sweep" }, element("legend", {}, "Sweep"),
    element("p", { class: "fault", role: "alert" }),
    element("ul", { class: "sweep" }, lines.map((line) => element("li", {}, line))),
    element("button", { type: "button", id: "remove-sweep", onclick: () => settings.set(settings.config, "sweep", undefined, true) }, "Remove the sweep"));
}

/** @param {Settings} settings */
function trials(settings) {
  const [seed, repeats] = settings.form.top;
  const { config } = settings;
  const trial = { key: "trial", type: "integer", low: 0, high: 1e15, words: null, default: 0, derived: null, required: false, doc: "Which trial is watched: each has random numbers of its own. Next trial goes on to the one after it." };
  const fields = [
    fieldOf(trial, "trial", settings.trial || undefined, (value) => {
      settings.trial = value === undefined ? 0 : Number(value.typed);
      settings.fault();
      settings.later();
    }),
    typeof config.repeats === "object" && config.repeats.typed === undefined
      ? element("p", { class: "help", "data-field": "repeats" }, `repeats: ${inline(config.repeats)}`, element("span", { class: "fault" }))
      : fieldOf(repeats, "repeats", config.repeats, (value) => settings.set(config, "repeats", value)),
    fieldOf(seed, "seed", config.seed, (value) => settings.set(config, "seed", value))];
  return element("fieldset", {}, element("legend", { class: "hidden" }, "Trials"),
    more("trials", "of the experiment", fields, "Trial and seed"));
}
