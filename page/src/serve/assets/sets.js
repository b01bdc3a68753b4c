// An operator set in the panel: its size and rates first, its operators folded below them.
// @ts-check
import { element } from "./dom.js";
import { choiceOf, fieldOf, more } from "./form.js";

/** @typedef {import("./settings.js").Settings} Settings */

/** Slots whose rates are always shown. */
const VARIATION = ["crossover", "mutation"];

/** @param {Settings} settings @param {any} set @param {number} place */
export function drawSet(settings, set, place) {
  const path = `operators.${place}`;
  const several = settings.config.operators.length > 1;
  const label = settings.checked?.plan?.arms?.length === settings.config.operators.length ? settings.checked.plan.arms[place].label : set.name;
  const legend = several ? `Operator set ${place + 1}${label ? `: ${label}` : ""}` : "Operator set";
  const { first, rest } = fieldsOf(settings, set, path);
  return element("fieldset", { "data-set": String(place) }, element("legend", {}, legend),
    first,
    more(path, `of operator set ${place + 1}`, [...names(settings, set, place), ...rest]),
    several ? element("button", { type: "button", class: "quiet", onclick: () => settings.removeSet(place) }, `Remove set ${place + 1}`) : null);
}

/** The choice of a preset, and the name. @param {Settings} settings @param {any} set @param {number} place */
function names(settings, set, place) {
  const path = `operators.${place}`;
  const all = settings.form.presets;
  const presets = [{ value: "", words: "choose …" },
    ...all.map((/** @type {any} */ one) => ({ value: one.name, words: one.name }))];
  const preset = all.find((/** @type {any} */ one) => one.name === set.name);
  const name = { key: "name", type: "text", low: null, high: null, words: null, default: null, derived: "made from its operators", required: false, doc: "What the set is called." };
  return [
    choiceOf("fill in from", preset?.doc ?? "An operator set that ships with runner; every field can then be changed.", `${path}.preset`, presets, preset?.name ?? "", (value) => {
      if (value === "") return;
      settings.config.operators[place] = settings.own({ preset: value });
      settings.redo();
    }),
    fieldOf(name, `${path}.name`, set.name, (value) => settings.set(set, "name", value))];
}

/** The fields that are always shown, and the others.
 * @param {Settings} settings @param {any} set @param {string} path */
function fieldsOf(settings, set, path) {
  const { slots, set: own } = settings.form;
  const algorithms = slots.find((/** @type {any} */ slot) => slot.slot === "algorithm");
  const algorithm = chosenOf(algorithms, set.algorithm) ?? algorithms.operators.find((/** @type {any} */ one) => one.name === "evolutionary");
  const used = slots.filter((/** @type {any} */ slot) =>
    slot.slot === "algorithm" || algorithm?.slots?.includes(slot.slot) || slot.slot === "constraints" || set[slot.slot] !== undefined);
  const first = [];
  if (algorithm?.population || set.population !== undefined) {
    first.push(...own.map((/** @type {any} */ field) =>
      fieldOf(field, `${path}.${field.key}`, set[field.key], (value) => settings.set(set, field.key, value))));
  }
  /** @type {any[]} */
  const rest = [];
  for (const slot of used) {
    const isFirst = (/** @type {any} */ field) => slot.slot === "algorithm"
      || (VARIATION.includes(slot.slot) && (field.key === "rate" || (field.key.endsWith("-rate") && set[slot.slot]?.[field.key] !== undefined)));
    const parameters = (chosenOf(slot, set[slot.slot])?.parameters ?? []);
    // Shares of a mix stand in place of rates.
    const fields = parameters.filter((/** @type {any} */ field) => !(set.mix && VARIATION.includes(slot.slot) && field.key === "rate"));
    first.push(...fields.filter(isFirst).map((/** @type {any} */ field) => parameterOf(settings, set, slot, field, path, true)));
    rest.push(slotOf(settings, set, slot, path, fields.filter((/** @type {any} */ field) => !isFirst(field))));
  }
  if (algorithm?.slots?.includes("crossover") && algorithm.slots.includes("mutation")) {
    const shares = mix(settings, set, path);
    if (set.mix) first.push(...shares);
    else rest.push(element("p", { class: "help wide" }, "In place of rates, shares: each child is a copy, comes from crossover, or is a mutant."), ...shares);
  }
  return { first, rest };
}

/** The operator that a slot's value names. @param {any} slot @param {any} value */
function chosenOf(slot, value) {
  const kind = typeof value === "object" && value !== null ? value.kind : value;
  return slot.operators.find((/** @type {any} */ one) => (value?.plugin === undefined
    ? one.library === undefined && one.name === kind
    : one.library === value.plugin && (value.operator === undefined || one.operator === value.operator)));
}

/** A parameter of a slot's operator.
 * @param {Settings} settings @param {any} set @param {any} slot @param {any} field
 * @param {string} path @param {boolean} full whether the label names the slot */
function parameterOf(settings, set, slot, field, path, full) {
  const value = set[slot.slot];
  const label = full && VARIATION.includes(slot.slot) ? { label: `${slot.slot} ${field.key.replaceAll("-", " ")}` } : {};
  return fieldOf({ ...field, ...label }, `${path}.${slot.slot}.${field.key}`, typeof value === "object" ? value[field.key] : undefined, (given) => {
    const table = typeof set[slot.slot] === "object" ? set[slot.slot] : { kind: set[slot.slot] };
    if (given === undefined) delete table[field.key];
    else table[field.key] = given;
    const bare = table.kind !== undefined && Object.keys(table).length === 1;
    set[slot.slot] = bare ? table.kind : table;
    settings.later();
  });
}

/** The choice of a slot's operator, with parameters. Operators of plugins have their plugin's name.
 * @param {Settings} settings @param {any} set @param {any} slot @param {string} path @param {any[]} fields */
function slotOf(settings, set, slot, path, fields) {
  const { encoding } = settings;
  const chosen = chosenOf(slot, set[slot.slot]);
  const idOf = (/** @type {any} */ one) => (one.library === undefined ? one.name : `${one.library}/${one.operator}`);
  const wordsOf = (/** @type {any} */ one) => (one.library === undefined ? one.name : `${one.operator} (plugin ${one.library})`);
  const fits = (/** @type {any} */ one) => !encoding || one.encodings.includes(encoding);
  const options = slot.operators.map((/** @type {any} */ one) => ({
    value: idOf(one), words: fits(one) ? wordsOf(one) : `${wordsOf(one)} (not for ${encoding})`, disabled: !fits(one) && one !== chosen,
  }));
  const help = chosen ? `${chosen.summary}${chosen.source === "-" ? "" : ` Source: ${chosen.source}.`}` : slot.doc;
  const choose = (/** @type {string} */ given) => {
    const [library, operator] = given.split("/");
    settings.set(set, slot.slot, given === "" ? undefined : operator === undefined ? given : { plugin: library, operator }, true);
  };
  return element("div", { class: "slot wide" },
    choiceOf(slot.slot, help, `${path}.${slot.slot}`, [{ value: "", words: `default: ${slot.derived ?? "none"}` }, ...options], chosen ? idOf(chosen) : "", choose),
    fields.length ? element("div", { class: "nested" }, fields.map((field) => parameterOf(settings, set, slot, field, path, false))) : null);
}

/** @param {Settings} settings @param {any} set @param {string} path */
function mix(settings, set, path) {
  return settings.form.mix.map((/** @type {any} */ field) =>
    fieldOf({ ...field, label: `share of ${field.key}` }, `${path}.mix.${field.key}`, set.mix?.[field.key], (value) => {
      set.mix ??= {};
      if (value === undefined) delete set.mix[field.key];
      else set.mix[field.key] = value;
      if (Object.keys(set.mix).length === 0) delete set.mix;
      settings.later();
    }));
}
