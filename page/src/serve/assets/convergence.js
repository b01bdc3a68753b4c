// The convergence of a trial as a plot.
// @ts-check
import { number } from "./dom.js";
import { Plot, colour, extent } from "./plot.js";

/** @typedef {{ points: any[], shade: string }} Rival the course of another search */

/** The convergence of a trial: every individual as a faint point, the generation's mean and worst,
 * the best so far. */
export class Convergence {
  /** @param {any} canvas @param {"generation" | "evaluations"} [key] what is across */
  constructor(canvas, key = "generation") {
    this.plot = new Plot(canvas, key, key === "generation" ? "fitness (lower is better)" : "fitness");
    this.key = key;
    /** @type {any[]} */
    this.points = [];
    /** What is shown of the axis; null: all. @type {[number, number] | null} */
    this.window = null;
    /** Axes that several curves share. @type {{ right: number, low: number, high: number } | null} */
    this.common = null;
    /** Searches beside this one, as faint curves. @type {Rival[]} */
    this.rivals = [];
    /** The colour of the best so far. */
    this.shade = "first";
    this.plot.redraw = () => this.draw();
    /** Called when another part is shown. @type {(window: [number, number] | null) => void} */
    this.zoomed = () => {};
    this.listen(canvas);
  }

  /** Zoom: drag over the axis, or the keys + - ← →; a double click or 0 shows all again. It stays
   * while the search goes on. @param {any} canvas */
  listen(canvas) {
    canvas.tabIndex = 0;
    canvas.title = "Drag to zoom in, double-click to see all. Keys: + − ← → 0";
    /** @type {number | null} */
    let from = null;
    canvas.addEventListener("pointerdown", (/** @type {any} */ event) => {
      from = this.plot.valueAt(event.offsetX);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (/** @type {any} */ event) => {
      const to = this.plot.valueAt(event.offsetX);
      const wide = from !== null && Math.abs(this.plot.right(to) - this.plot.right(from)) > 8;
      if (from !== null && wide) this.show([Math.min(from, to), Math.max(from, to)]);
      from = null;
    });
    canvas.addEventListener("dblclick", () => this.show(null));
    canvas.addEventListener("keydown", (/** @type {any} */ event) => {
      const [left, right] = this.plot.x;
      const [middle, half] = [(left + right) / 2, (right - left) / 2];
      /** @type {Record<string, () => [number, number] | null>} */
      const windows = {
        "+": () => [middle - half / 2, middle + half / 2],
        "-": () => [middle - half * 2, middle + half * 2],
        ArrowLeft: () => [left - half / 2, right - half / 2],
        ArrowRight: () => [left + half / 2, right + half / 2],
        0: () => null,
      };
      const found = windows[event.key];
      if (!found) return;
      event.preventDefault();
      this.show(found());
    });
  }

  /** @param {[number, number] | null} window */
  show(window) {
    const last = this.common?.right ?? this.reach;
    if (window) window = [Math.max(0, window[0]), Math.min(last, window[1])];
    this.window = window && window[1] - window[0] >= 1 && window[1] - window[0] < last ? window : null;
    this.draw();
    this.zoomed(this.window);
  }

  /** The end of the axis. */
  get reach() {
    return Math.max(10, this.now?.[this.key] ?? 0, this.points.at(-1)?.[this.key] ?? 0);
  }

  /** The least and the greatest fitness of some points. @param {any[]} points */
  range(points) {
    const values = function* () {
      for (const one of points) {
        yield one.best;
        yield one.worst;
        if (one.best_so_far !== null) yield one.best_so_far;
      }
    };
    return extent(values());
  }

  /** All generations that are known, the one that is shown among them. @returns {any[]} */
  get whole() {
    const { now, points } = this;
    return now && !(points.at(-1)?.generation >= now.generation) ? [...points, now] : points;
  }

  /** @param {{ replaces: boolean, points: any[] }} news */
  take({ replaces, points }) {
    if (replaces) this.points = points;
    else this.points.push(...points);
  }

  clear() {
    this.points = [];
    this.window = null;
    this.now = undefined;
    this.draw();
  }

  /** @param {any} [now] the generation that is shown, if it is no point of the series */
  draw(now = this.now) {
    this.now = now;
    const { whole, key } = this;
    const [left, right] = this.window ?? [0, this.common?.right ?? this.reach];
    // One point to either side, so that curves reach the edges.
    const first = Math.max(0, whole.findIndex((one) => one[key] >= left) - 1);
    const after = whole.findIndex((one) => one[key] > right);
    const all = this.window ? whole.slice(first, after < 0 ? undefined : after + 1) : whole;
    if (all.length === 0) {
      this.plot.frame([0, 10], [0, 1]);
      return;
    }
    const [low, high] = this.common && !this.window ? [this.common.low, this.common.high] : this.range(all);
    const room = (high - low) * 0.04;
    this.plot.frame([left, right], [low - room, high + room]);
    this.plot.clip();
    const individuals = [];
    for (const one of all) for (const value of one.individuals) individuals.push(/** @type {[number, number]} */ ([one[key], value]));
    this.plot.points(individuals, colour("ink"));
    const of = (/** @type {string} */ name, points = all) => points.filter((one) => one[name] !== null).map((one) => /** @type {[number, number]} */ ([one[key], one[name]]));
    if (this.common) {
      for (const { points, shade } of this.rivals) this.plot.curve(of("best_so_far", points), colour(shade), { steps: true, width: 1.25 });
    } else {
      this.plot.curve(of("worst"), colour("third"), { dash: [2, 3] });
      this.plot.curve(of("mean"), colour("second"), { dash: [6, 3] });
      this.plot.curve(of("best"), colour("first"), { width: 1 });
    }
    this.plot.curve(of("best_so_far"), colour(this.shade), { steps: true, width: 2.5 });
    this.plot.pen.restore();
    this.words(all.at(-1));
  }

  /** Says what the curve shows. @param {any} last */
  words({ generation, best_so_far: best, mean, worst }) {
    const axis = this.key === "generation" ? "generations" : "evaluations";
    const shown = this.window ? ` Shown are ${axis} ${number(this.window[0])} to ${number(this.window[1])}.` : "";
    const label = `Convergence: in generation ${number(generation)} the best fitness so far is ${number(best)}; of the generation, the mean is ${number(mean)} and the worst ${number(worst)}.${shown}`;
    this.plot.canvas.setAttribute("aria-label", label);
  }
}
