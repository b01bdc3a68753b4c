// Settings to take away: as a text, as a file, as a link.
// @ts-check
import { post } from "./api.js";
import { byId, element, setText } from "./dom.js";

export class Keep {
  /** @param {any} root */
  constructor(root) {
    /** @type {any} */
    this.settings = null;
    root.replaceChildren(
      element("p", { class: "help" }, "These settings are an experiment file. Running it gives the trials that are watched here, byte for byte. The address of this page holds the settings, the seed and the trial too: copy it as a link."),
      element("div", { class: "controls" },
        element("button", { type: "button", id: "copy", onclick: () => this.copy(this.settings?.text ?? "", byId("toml")) }, "Copy as TOML"),
        element("button", { type: "button", id: "copy-link", onclick: () => this.copy(location.href, null) }, "Copy link"),
        element("label", { for: "save-name" }, "Name"),
        element("input", { id: "save-name", type: "text", value: "watched", spellcheck: "false", autocomplete: "off" }),
        element("button", { type: "button", id: "save", onclick: () => this.save() }, "Save as experiment"),
        element("span", { id: "kept", role: "status" })),
      element("pre", { id: "toml", tabindex: "0", "aria-label": "Experiment file" }));
  }

  /** @param {import("./settings.js").Settings} settings */
  take(settings) {
    this.settings = settings;
    setText(byId("toml"), settings.text);
    for (const id of ["copy", "copy-link", "save"]) byId(id).disabled = !settings.ready;
  }

  /** Copies a text, or selects where it is shown. @param {string} text @param {any} shown */
  async copy(text, shown) {
    try {
      await navigator.clipboard.writeText(text);
      setText(byId("kept"), "Copied.");
    } catch {
      if (!shown) {
        setText(byId("kept"), "The browser does not let the page copy; copy the address of this page.");
        return;
      }
      const range = document.createRange();
      range.selectNodeContents(shown);
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
