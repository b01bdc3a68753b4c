// The success of operators as a plot: the share of children that are better than their parents.
// @ts-check
import { element, number } from "./dom.js";
import { Plot, colour } from "./plot.js";

/** @typedef {import("./convergence.js").Convergence} Convergence */
/** @typedef {{ from: number, to: number, first: number, last: number, shares: (number | null)[], counts: number[] }} Span
 *   generations, with the share of better children of each kind, and the numbers of children */

/** Kinds of children in the order of a point's numbers, each with its colour and its dashes. */
const KINDS = [
  { words: "crossover", shade: "fourth", dash: [] },
  { words: "mutation", shade: "fifth", dash: [6, 3] },
  { words: "both", shade: "sixth", dash: [2, 3] },
];
/** Spans that are shown at most, of equal numbers of points: the share of a single generation is
 * coarse. */
const SPANS = 30;
/** The least share at the upper end of the axis. */
const LEAST = 0.05;

/** The spans of a trial so far; none if its children are not counted. Their borders stay where they
 * are while points come in, until there are twice as many.
 * @param {any[]} points each with its children so far
 * @param {"generation" | "evaluations"} key what is across @returns {Span[]} */
export function spansOf(points, key) {
  const last = points.length - 1;
  if (last < 1 || points[last].children === null) return [];
  const size = 2 ** Math.max(0, Math.ceil(Math.log2(last / SPANS)));
  /** @type {number[]} */
  const ends = [];
  for (let at = size; at <= last; at += size) ends.push(at);
  // The last points that fill no span are part of the one before.
  ends[ends.length - 1] = last;
  return ends.map((end, place) => {
    const [before, after] = [points[place === 0 ? 0 : ends[place - 1]], points[end]];
    // The first population has no children.
    const of = (/** @type {number} */ at) => after.children[at] - (before.children?.[at] ?? 0);
    const counts = KINDS.map((_, kind) => of(2 * kind));
    const shares = counts.map((count, kind) => (count > 0 ? of(2 * kind + 1) / count : null));
    return { from: before[key], to: after[key], first: before.generation + 1, last: after.generation, counts, shares };
  });
}

/** The greatest share. @param {Span[]} spans */
function mostOf(spans) {
  return spans.reduce((most, { shares }) => Math.max(most, ...shares.map((one) => one ?? 0)), 0);
}

/** The shares of better children in spans of generations, on the axis of a curve. They follow its
 * zoom. Nothing is shown of a search that does not count its children. */
export class Success {
  /** @param {any} root @param {Convergence} curve @param {string} whose operator set, if there are several */
  constructor(root, curve, whose) {
    this.root = root;
    this.curve = curve;
    this.whose = whose;
    this.canvas = element("canvas", { role: "img", "aria-label": `Success of operators${whose}` });
    this.legend = KINDS.map(({ words, shade }) => element("span", { class: shade }, words));
    root.replaceChildren(
      element("figcaption", {}, "Share of children that are better than their parents"),
      element("p", { class: "legend" }, this.legend.flatMap((one) => [one, " "])),
      this.canvas);
    this.plot = new Plot(this.canvas, curve.key, "share");
    this.plot.redraw = () => this.draw();
    /** The greatest share of searches side by side; 0: of this one alone. */
    this.common = 0;
  }

  get spans() {
    return spansOf(this.curve.whole, this.curve.key);
  }

  /** Its greatest share. */
  get most() {
    return mostOf(this.spans);
  }

  draw() {
    const { spans, curve, plot } = this;
    this.root.hidden = spans.length === 0;
    if (this.root.hidden) return;
    const most = Math.max(LEAST, this.common, mostOf(spans));
    plot.frame(curve.plot.x, [0, most * 1.04]);
    plot.clip();
    KINDS.forEach(({ shade, dash }, kind) => {
      const points = spans.flatMap(({ from, to, shares }) => {
        const share = shares[kind];
        return share === null ? [] : [from, to].map((at) => /** @type {[number, number]} */ ([at, share]));
      });
      plot.curve(points, colour(shade), { width: 2, dash });
      this.legend[kind].hidden = points.length === 0;
    });
    plot.pen.restore();
    this.words(/** @type {Span} */ (spans.at(-1)));
  }

  /** Says what the last span has. @param {Span} span */
  words({ first, last, counts, shares }) {
    const percent = (/** @type {number} */ share) => `${number(Math.round(share * 1000) / 10)} %`;
    const parts = KINDS.flatMap(({ words }, kind) => (shares[kind] === null ? []
      : [`by ${words} ${percent(/** @type {number} */ (shares[kind]))} of ${number(counts[kind])}`]));
    const which = first === last ? `generation ${number(last)}` : `generations ${number(first)} to ${number(last)}`;
    this.canvas.setAttribute("aria-label", `Success of operators${this.whose}: in ${which}, children that are better than each of their parents are ${parts.join(", ") || "none"}.`);
  }
}
