// The experiment in the page's address. An address may come from anywhere: nothing of its text is
// checked or run before the user says so.
// @ts-check
import { post } from "./api.js";
import { element } from "./dom.js";

/** Where this tab keeps the text that its user has used: other sites cannot write there. */
const KEPT = "runner-used";

/** Notes that the user of this tab uses a text. @param {string} text */
export function keep(text) {
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // Without storage the user is asked again.
  }
}

/** @param {string} text */
function isKept(text) {
  try {
    return sessionStorage.getItem(KEPT) === text;
  } catch {
    return false;
  }
}

/** The address of settings. @param {string} text @param {number} trial */
export function addressOf(text, trial) {
  return `#${trial === 0 ? "" : `trial=${trial}&`}toml=${encodeURIComponent(text)}`;
}

/** Shows the experiment in the page's address, once the user asks for it; without one, the first
 * that is ready. @param {any} form @param {import("./settings.js").Settings} settings */
export async function showAddress(form, settings) {
  const asked = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  const [text, trial] = [asked.get("toml") ?? "", Number(asked.get("trial") ?? 0)];
  const standard = () => settings.show(form.ready[0].config);
  if (text === "") {
    standard();
    return;
  }
  const use = async () => {
    keep(text);
    const isNumber = Number.isSafeInteger(trial) && trial >= 0;
    settings.trial = isNumber ? trial : 0;
    try {
      if (!isNumber) {
        throw new Error(`The address names trial ${asked.get("trial")}, but a trial is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
      }
      const { config, sweep } = await post("/api/check", { text });
      if (config) settings.show(config, sweep);
      else standard();
    } catch (error) {
      settings.root.replaceChildren(element("p", { class: "fault", role: "alert" }, String(/** @type {any} */ (error).message)));
    }
  };
  if (isKept(text)) {
    await use();
    return;
  }
  const answers = element("div", { class: "controls" },
    element("button", { type: "button", id: "use-address", onclick: () => use() }, "Use these settings"),
    element("button", { type: "button", id: "leave-address", onclick: () => {
      history.replaceState(null, "", location.pathname + location.search);
      standard();
    } }, "Leave them"));
  settings.root.replaceChildren(element("section", { id: "from-address", "aria-label": "Settings in the address" },
    element("p", { role: "status" }, "These settings came with the address of this page, perhaps from another site. Nothing of them is checked or run before you use them."),
    element("pre", { tabindex: "0", "aria-label": "The text in the address" }, text), answers));
}
