// Settings as the text of an experiment file.
// @ts-check

/** A text of a field that is a number as TOML writes it. */
const NUMBER = /^[+-]?(\d+(_\d+)*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The order in which files of this project have keys; others follow, by name. */
const ORDER = ["name", "seed", "repeats", "baseline", "pairing", "kind", "plugin", "operator", "n", "problem", "operators", "algorithm",
  "population", "scaling", "selection", "mix", "crossover", "mutation", "replacement", "constraints", "size", "rate", "clone", "mutate",
  "stop", "fitness", "generations", "evaluations", "sweep", "output"];

/** The entries of a table that say something, in order. @param {Record<string, any>} table @returns {[string, any][]} */
function entriesOf(table) {
  const place = (/** @type {string} */ key) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return Object.entries(table)
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([one], [other]) => place(one) - place(other) || (one < other ? -1 : 1));
}

/** A key as TOML writes it: a dotted one of a sweep is quoted. @param {string} key */
function keyText(key) {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** A value on one line. A number in a field is a text: it becomes a number where it is one.
 * @param {any} value @returns {string} */
export function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isTable(value)) {
    return `{ ${entriesOf(value).map(([key, one]) => `${keyText(key)} = ${inline(one)}`).join(", ")} }`;
  }
  if (value instanceof Raw) return value.text;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value).replace(/\u007f/g, "\\u007F");
}

/** What stands in a field of numbers. */
export class Raw {
  /** @param {string} text @param {boolean} [varies] whether a schedule may replace the number */
  constructor(text, varies = false) {
    const typed = text.trim();
    this.typed = text;
    if (varies && /^\{.*\}$/.test(typed)) this.text = typed;
    else this.text = NUMBER.test(typed) ? typed.replace(/^\+/, "") : JSON.stringify(text);
  }
}

/** @param {any} value @returns {boolean} */
function isTable(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Raw);
}

/** @param {string[]} lines @param {[string, any][]} entries */
function write(lines, entries) {
  const width = Math.max(0, ...entries.map(([key]) => keyText(key).length));
  for (const [key, value] of entries) lines.push(`${keyText(key).padEnd(width)} = ${inline(value)}`);
}

/**
 * The text of an experiment: single values first, then [problem], [[operators]], [stop] and what
 * else there is.
 * @param {Record<string, any>} config
 */
export function toToml(config) {
  // The order of a sweep is that of its arms.
  const inOrder = (/** @type {string} */ key, /** @type {any} */ table) => (key === "sweep" ? Object.entries(table) : entriesOf(table));
  /** @type {string[]} */
  const lines = [];
  const isList = (/** @type {any} */ value) => Array.isArray(value) && value.length > 0 && value.every(isTable);
  const entries = entriesOf(config);
  write(lines, entries.filter(([, value]) => !isTable(value) && !isList(value)));
  for (const [key, value] of entries) {
    const tables = isList(value) ? value : isTable(value) ? [value] : [];
    for (const table of tables) {
      if (entriesOf(table).length === 0) continue;
      lines.push("", isList(value) ? `[[${key}]]` : `[${key}]`);
      write(lines, inOrder(key, table));
    }
  }
  return lines.join("\n").trimStart() + "\n";
}

/** A copy of settings, with what stands in fields of numbers. @param {any} value @returns {any} */
export function copyOf(value) {
  if (value instanceof Raw) return new Raw(value.typed);
  if (Array.isArray(value)) return value.map(copyOf);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one)]));
  }
  return value;
}
