// Fields: made from what a parameter declares. Its words are there when they are asked for.
// @ts-check
import { element } from "./dom.js";
import { inline, Raw } from "./toml.js";

/**
 * @typedef {{ key: string, label?: string, type: string, low: number | null, high: number | null,
 *   words: string[] | null, default: any, derived: string | null, required: boolean,
 *   varies?: boolean, folder?: string | null,
 *   doc: string }} Field
 */

/** What a field may hold, in words. @param {Field} field */
function range(field) {
  const wide = (/** @type {number | null} */ end) => end === null || Math.abs(end) > 1e15;
  if (field.type === "file") {
    return field.folder ? `The files of at most 1 MB in the folder ${field.folder} are offered.`
      : "To choose a file, start `runner serve` where there is a folder configs with it, or with --configs DIR.";
  }
  if (field.type !== "integer" && field.type !== "real") return "";
  const what = field.type === "integer" ? "A whole number" : "A number";
  const { low, high } = field;
  if (wide(low) && wide(high)) return `${what}.`;
  if (wide(high)) return `${what}, at least ${low}.`;
  if (wide(low)) return `${what}, at most ${high}.`;
  const schedule = field.varies ? ", or a schedule such as { from = 0.3, to = 0.01 }" : "";
  return `${what} from ${low?.toLocaleString("en")} to ${high?.toLocaleString("en")}${schedule}.`;
}

let made = 0;

/** Paths of the fields whose help is open: it stays so when they are drawn anew. @type {Set<string>} */
const helped = new Set();

/**
 * A field around its input: its label, a button that opens its help, and a place for a fault.
 * @param {{ id: string, path: string, label: string, help: string }} about
 * @param {any} input
 */
function framed({ id, path, label, help }, input) {
  const words = element("p", { class: "help", id: `${id}-help`, hidden: !helped.has(path) }, help);
  const ask = element("button", {
    type: "button", class: "ask", "aria-label": `Help on ${label}`, title: help,
    "aria-expanded": String(helped.has(path)), "aria-controls": `${id}-help`,
    onclick: () => {
      if (!helped.delete(path)) helped.add(path);
      words.hidden = !helped.has(path);
      ask.setAttribute("aria-expanded", String(!words.hidden));
    },
  }, "?");
  return element("div", { class: "field", "data-field": path },
    element("label", { for: id }, label), input, ask, words,
    element("p", { class: "fault", id: `${id}-fault`, role: "alert" }));
}

/** A parameter's name for people: trial-seconds becomes "trial seconds". @param {string} key */
function title(key) {
  return key.replaceAll("-", " ").replaceAll("_", " ");
}

/**
 * A field with its label, help and place for a fault.
 * @param {Field} field
 * @param {string} path of its key in the experiment
 * @param {any} value undefined: not set
 * @param {(value: any) => void} change is told what the experiment is to have; undefined: nothing
 */
export function fieldOf(field, path, value, change) {
  const id = `field-${made++}`;
  const common = { id, "data-path": path, "aria-describedby": `${id}-help ${id}-fault` };
  let input;
  if (field.type === "boolean") {
    const on = value === undefined ? field.default === true : value === true;
    input = element("input", {
      ...common, type: "checkbox", checked: on,
      onchange: (/** @type {any} */ event) => change(event.target.checked),
    });
  } else if (field.type === "choice") {
    const chosen = value === undefined ? field.default : value;
    const empty = field.default === null ? [element("option", { value: "" }, field.derived ?? "choose …")] : [];
    input = selectOf(common, empty, field.words ?? [], chosen, change);
  } else if (field.type === "file") {
    const words = field.words ?? [];
    // A link may name a file that is not offered: the check says so.
    const strange = typeof value === "string" && value !== "" && !words.includes(value) ? [value] : [];
    const empty = element("option", { value: "" }, field.required ? "choose …" : "no file");
    input = selectOf({ ...common, "data-offers": "files" }, [empty], [...strange, ...words], value, change);
  } else {
    const shown = value === undefined ? "" : value instanceof Raw ? value.typed
      : typeof value === "object" ? inline(value) : String(value);
    const stand = field.default ?? field.derived ?? (field.required ? "required" : "");
    const numeric = field.type === "integer" || field.type === "real";
    input = element("input", {
      ...common, type: "text", value: shown, placeholder: String(stand), spellcheck: "false",
      autocomplete: "off", inputmode: numeric ? "decimal" : "text",
      oninput: (/** @type {any} */ event) => {
        const text = event.target.value;
        if (text.trim() === "") change(undefined);
        else change(numeric ? new Raw(text, field.varies) : text);
      },
    });
  }
  const standing = field.default !== null && field.default !== undefined && field.default !== ""
    ? ` Default: ${field.default}.`
    : field.derived ? ` Default: ${field.derived}.` : "";
  const help = `${field.doc} ${range(field)}${standing}`;
  return framed({ id, path, label: field.label ?? title(field.key), help }, input);
}

/** A choice of words; `empty` are options before them.
 * @param {Record<string, any>} common @param {any[]} empty @param {string[]} words @param {any} chosen
 * @param {(value: any) => void} change */
function selectOf(common, empty, words, chosen, change) {
  const onchange = (/** @type {any} */ event) => change(event.target.value === "" ? undefined : event.target.value);
  return element("select", { ...common, onchange },
    empty, words.map((word) => element("option", { value: word, selected: word === chosen }, word)));
}

/**
 * Offers files that came since, and no more those that went, in fields that are drawn and in those
 * to come.
 * @param {any} form the choices, of which fields of files are a part
 * @param {string[]} names
 */
export function offerFiles(form, names) {
  const left = [form];
  while (left.length > 0) {
    const one = left.pop();
    if (one?.type === "file") one.words = names;
    else if (one !== null && typeof one === "object") left.push(...Object.values(one));
  }
  for (const select of document.querySelectorAll("select[data-offers='files']")) {
    const { options, value } = /** @type {HTMLSelectElement} */ (select);
    const before = [...options].filter(({ value: own }) => ["", value].includes(own) && !names.includes(own));
    const all = names.map((name) => [...options].find((option) => option.value === name)
      ?? element("option", { value: name }, name));
    select.replaceChildren(...before, ...all);
  }
}

/**
 * A choice with a label and help.
 * @param {string} label
 * @param {string} help
 * @param {string} path
 * @param {{ value: string, words: string, disabled?: boolean }[]} options
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
export function choiceOf(label, help, path, options, chosen, change) {
  const id = `field-${made++}`;
  const select = element("select", {
    id, "data-path": path, "aria-describedby": `${id}-help ${id}-fault`,
    onchange: (/** @type {any} */ event) => change(event.target.value),
  }, options.map(({ value, words, disabled }) =>
    element("option", { value, selected: value === chosen, disabled }, words)));
  const field = framed({ id, path, label, help }, select);
  field.classList.add("wide");
  return field;
}

/** What is folded until somebody asks for it; none without fields.
 * @param {string} name @param {string} of what there is more of @param {any[]} fields
 * @param {string} [words] what is shown in place of "More" */
export function more(name, of, fields, words = "More") {
  if (fields.length === 0) return null;
  return element("details", { class: "more", "data-name": name },
    element("summary", {}, words, element("span", { class: "hidden" }, ` ${of}`)), fields);
}
