// A lane: what is seen of the search of one operator set: its board, its curve, its population.
// @ts-check
import { Convergence } from "./convergence.js";
import { element, number, pictureAddress, setText, showBoard, successWords, violationWords } from "./dom.js";
import { COLOURS } from "./plot.js";
import { drawStrip } from "./strip.js";
import { Success } from "./success.js";

/** Said where no individuals are drawn. */
const UNDRAWN = "The best individuals are drawn when the search is paused, or goes at 5 generations a second or slower.";

export class Lane {
  /**
   * @param {number} place among the lanes
   * @param {boolean} several whether others run beside it
   * @param {string} label of its operator set
   */
  constructor(place, several, label) {
    this.place = place;
    this.several = several;
    this.label = label;
    /** The newest that is known of it. @type {any} */
    this.frame = null;
    /** Whether it is not drawn yet. */
    this.isNew = false;
    /** The newest board, until it is drawn. @type {any} */
    this.newBoard = null;
    this.build();
    this.curve = new Convergence(this.canvas, several ? "evaluations" : "generation");
    this.success = new Success(this.shares, this.curve, several ? ` of ${label}` : "");
  }

  build() {
    const suffix = this.place === 0 ? "" : `-${this.place}`;
    const id = (/** @type {string} */ name) => name + suffix;
    const { label } = this;
    const whose = this.several ? ` of ${label}` : "";
    this.board = element("div", { id: id("board"), class: "canvas" }, element("p", { class: "empty" }, "The best board so far appears here."));
    this.line = element("figcaption", { id: id("board-words"), class: "line" });
    this.facts = element("dl", { class: "facts", id: id("facts") });
    this.canvas = element("canvas", { id: id("curve"), class: "curve", role: "img", "aria-label": `Convergence${whose}: fitness by ${this.several ? "evaluations" : "generation"}` });
    this.shares = element("figure", { id: id("success"), class: "success", hidden: true });
    this.strip = element("canvas", { id: id("strip"), class: "strip", role: "img", "aria-label": `The population's genes${whose}` });
    this.boards = element("div", { id: id("boards"), class: "boards" });
    this.words = element("p", { class: "help", id: id("lane-words") });
    const heading = this.several ? element("h3", { class: `mark ${COLOURS[this.place]}` }, label) : null;
    this.root = element("section", { class: "lane", "aria-label": this.several ? `Operator set ${this.place + 1}: ${label}` : "The search" },
      heading,
      element("figure", { class: "board" }, this.board, this.line),
      element("div", { class: "curves" }, this.facts, this.canvas, this.several ? null : legend(), this.shares, this.words),
      element("figure", { class: "population" },
        this.several ? null : element("figcaption", {}, "The population: a row per individual, best first; a column per gene; colours are values. Alike rows are alike individuals."),
        this.strip, this.boards));
  }

  /** Empties the lane for a search that starts. */
  clear() {
    this.frame = null;
    this.isNew = false;
    this.newBoard = null;
    this.curve.clear();
    this.success.draw();
  }

  /** Takes news, to be drawn by `draw`: more may come before that. @param {any} frame */
  take(frame) {
    this.frame = frame;
    this.isNew = true;
    this.newBoard = frame.board ?? this.newBoard;
    this.curve.take(frame.convergence);
    this.curve.now = frame.now;
  }

  draw() {
    if (this.isNew) this.show();
    this.curve.draw();
    this.success.draw();
  }

  /** Shows what is new beside the curves. */
  show() {
    const { frame, newBoard } = this;
    this.isNew = false;
    this.newBoard = null;
    if (newBoard) {
      showBoard(this.board, newBoard, this.several ? `Best board of ${this.label} so far` : "Best board so far");
      const { line } = newBoard;
      setText(this.line, line.length <= 120 ? line : `${line.slice(0, 120)} …`);
    }
    this.figures(frame);
    drawStrip(this.strip, frame.strip);
    const whose = this.several ? ` of ${this.label}` : "";
    this.strip.setAttribute("aria-label", `Genes of ${frame.strip.rows} of ${frame.population} individuals${whose} in generation ${number(frame.now.generation)}, best first`);
    this.pictures(frame.boards);
    setText(this.words, this.several && frame.ending ? endingWords(frame.ending) : "");
  }

  /** @param {any} frame */
  figures({ now, violation, population, trial, seed, ending }) {
    // The ending may be later than the last generation that was seen.
    const best = ending ? (ending.violation ? null : ending.best_fitness) : now.best_so_far;
    const generation = ending ? ending.generations : now.generation;
    // The generation of the population's figures, if it is an earlier one.
    const older = now.generation === generation ? "" : ` in generation ${number(now.generation)}`;
    const rows = [
      ["best fitness", best === null ? `no feasible genome${ending ? "" : " yet"}` : number(best)],
      ["generation", number(generation)],
      ["evaluations", number(ending ? ending.evaluations : now.evaluations)],
    ];
    if (!this.several) rows.push(["mean", number(now.mean) + older], ["population", number(population)], ["trial", number(trial)], ["seed", seed]);
    if (violation) rows.push(["violation of the best", number(ending?.violation ?? violation[0])], ["feasible", `${(violation[1] * 100).toFixed(0)} %${older}`]);
    if (this.facts.children.length !== rows.length) {
      this.facts.replaceChildren(...rows.map(([name]) => element("div", { class: name === "seed" ? "seed" : null }, element("dt", {}, name), element("dd", {}, ""))));
    }
    rows.forEach(([, value], place) => setText(this.facts.children[place].lastChild, value));
  }

  /** @param {{ svg: string | null, line: string, fitness: number }[]} portraits */
  pictures(portraits) {
    const place = this.boards;
    if (portraits.length === 0) {
      if (place.firstChild?.tagName !== "P") place.replaceChildren(element("p", { class: "help" }, UNDRAWN));
      return;
    }
    place.replaceChildren(...portraits.map(({ svg, line, fitness }, at) => {
      const image = svg
        ? element("img", { width: "72", height: "72", src: pictureAddress(svg), alt: `Individual ${at + 1} by fitness` })
        : element("code", {}, line);
      return element("figure", {}, image, element("figcaption", {}, number(fitness)));
    }));
  }
}

function legend() {
  const part = (/** @type {string} */ name, /** @type {string} */ words) => element("span", { class: name }, words);
  return element("p", { class: "legend" },
    part("first", "best so far"), " ", part("thin", "best of the generation"), " ", part("second", "mean"), " ", part("third", "worst"), " ", part("dots", "individuals"));
}

/** How a search ended. @param {any} ending */
export function endingWords(ending) {
  const success = ending.success ? `${successWords(ending)} ` : ending.error ? "" : "No success. ";
  return `${success}${ending.words}${ending.error ? ` ${ending.error}` : ""} Best fitness ${number(ending.best_fitness)}${violationWords(ending)}, generation ${number(ending.generations)}.`;
}
