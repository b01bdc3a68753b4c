// The controls of a search, with their keys: start, steps, speed.
// @ts-check
import { byId, counted, element, number, setText } from "./dom.js";

/** Positions of the speed control: generations a second; 0: single steps; null: full speed. */
const PACES = [0, 1, 2, 5, 10, 20, 50, 100, 1000, null];
/** The position at first. */
const FIRST = PACES.indexOf(10);

/** A speed in words. @param {number | null} pace */
function paceWords(pace) {
  if (pace === null) return "full speed";
  return pace === 0 ? "single steps" : `${counted(pace, "generation")} a second`;
}

/** @typedef {{ start: () => void, step: () => void, restart: () => void, next: () => void, pace: () => void }} Acts */

export class Controls {
  /** @param {any} root @param {any} stage what fills the screen @param {Acts} acts */
  constructor(root, stage, acts) {
    this.stage = stage;
    this.acts = acts;
    const button = (/** @type {string} */ id, /** @type {string} */ words, /** @type {string} */ key, /** @type {() => void} */ act, /** @type {string} */ help) =>
      element("button", { type: "button", id, onclick: act, "aria-keyshortcuts": key, title: `${help} (key ${key})` }, words);
    root.replaceChildren(
      button("start", "Start", "s", acts.start, "Starts, pauses and goes on"),
      button("step", "One generation", "n", acts.step, "Goes one generation on, then pauses"),
      button("restart", "Restart", "r", acts.restart, "Runs the same trial again"),
      button("next", "Next trial", "t", acts.next, "Runs the next trial, which has other random numbers"),
      element("span", { class: "pace" },
        element("label", { for: "pace" }, "Speed"),
        element("input", { id: "pace", type: "range", min: "0", max: String(PACES.length - 1), step: "1", value: String(FIRST), "aria-valuetext": paceWords(10), oninput: () => this.change() }),
        element("output", { for: "pace", id: "pace-words" }, paceWords(10))),
      button("full", "Full screen", "f", () => this.fullScreen(), "Fills the screen, for a projector"));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Generations a second; 0: single steps; null: full speed. */
  get pace() {
    return PACES[Number(byId("pace").value)];
  }

  change() {
    setText(byId("pace-words"), paceWords(this.pace));
    byId("pace").setAttribute("aria-valuetext", paceWords(this.pace));
    this.acts.pace();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {any} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches?.("input:not([type=range]), textarea, select") || document.querySelector("dialog[open]")) return;
    const ids = { s: "start", n: "step", r: "restart", t: "next", f: "full" };
    const id = ids[/** @type {keyof typeof ids} */ (event.key)];
    if (!id) return;
    event.preventDefault();
    if (!byId(id).disabled) byId(id).click();
  }

  /** @param {{ ready: boolean, state: string }} now */
  enable({ ready, state }) {
    const going = state !== "idle";
    byId("start").disabled = !ready && !going;
    byId("step").disabled = !ready && !going;
    byId("restart").disabled = !ready;
    byId("next").disabled = !ready;
    setText(byId("start"), state === "running" || state === "starting" ? "Pause" : state === "paused" ? "Go on" : "Start");
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.stage.requestFullscreen?.();
  }
}
