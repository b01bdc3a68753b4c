// Plots on canvases, in the page's colours.
// @ts-check
import { number } from "./dom.js";

/** Room for the axes, in pixels: left, right, top, bottom; on the right more, where the last number
 * needs it. */
const EDGE = [56, 12, 10, 34];

/** A colour of the style sheet. @param {string} name */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Round values on an axis. @param {number} low @param {number} high @param {number} most */
export function ticks(low, high, most) {
  const span = high - low || 1;
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough) ?? rough;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}

/** A short number for an axis, as the pictures of `runner plot` have it: 10k. @param {number} value */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) return value.toExponential(0);
  if (size < 1e4) return number(value);
  const [unit, letter] = size >= 1e12 ? [1e12, "T"] : size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return number(value / unit) + letter;
}

/** A canvas that has as many pixels as the screen. */
export class Plot {
  /** @param {any} canvas @param {string} across @param {string} up */
  constructor(canvas, across, up) {
    this.canvas = canvas;
    this.across = across;
    this.up = up;
    this.pen = canvas.getContext("2d");
    /** What is on the axes. @type {[number, number]} */
    this.x = [0, 1];
    /** @type {[number, number]} */
    this.y = [0, 1];
    /** Left, right, top and bottom of what is inside of the axes, in pixels. */
    this.inner = [0, 1, 0, 1];
    /** How the plot is drawn anew when its size changes. @type {() => void} */
    this.redraw = () => {};
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /** Empties the plot, and draws its axes.
   * @param {[number, number]} x @param {[number, number]} y */
  frame([left, right], [low, high]) {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.pen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (right <= left) right = left + 1;
    if (high <= low) [low, high] = [low - 0.5, high + 0.5];
    [this.x, this.y] = [[left, right], [low, high]];
    pen.font = "12px system-ui, sans-serif";
    const across = ticks(left, right, Math.max(2, width / 90));
    const half = pen.measureText(short(across.at(-1) ?? right)).width / 2;
    this.inner = [EDGE[0], width - Math.max(EDGE[1], Math.ceil(half) + 2), EDGE[2], height - EDGE[3]];
    pen.lineWidth = 1;
    pen.fillStyle = colour("faint");
    pen.strokeStyle = colour("grid");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks(low, high, Math.max(2, height / 50))) {
      const at = this.down(value);
      pen.beginPath();
      pen.moveTo(this.inner[0], at);
      pen.lineTo(this.inner[1], at);
      pen.stroke();
      pen.fillText(short(value), this.inner[0] - 6, at);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const value of across) {
      pen.fillText(short(value), this.right(value), this.inner[3] + 4);
    }
    pen.fillText(this.across, (this.inner[0] + this.inner[1]) / 2, height - 14);
    pen.save();
    pen.translate(12, (this.inner[2] + this.inner[3]) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textBaseline = "middle";
    pen.fillText(this.up, 0, 0);
    pen.restore();
  }

  /** What is drawn from now on stays inside of the axes, until the pen is restored. */
  clip() {
    const [left, right, top, bottom] = this.inner;
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(left, top - 2, right - left + 2, bottom - top + 4);
    this.pen.clip();
  }

  /** The value at a place across. @param {number} at in pixels */
  generationAt(at) {
    const [left, right] = this.x;
    const [from, to] = this.inner;
    return left + ((at - from) / (to - from)) * (right - left);
  }

  /** @param {number} value */
  right(value) {
    const [left, right] = this.x;
    const [from, to] = this.inner;
    return from + ((value - left) / (right - left)) * (to - from);
  }

  /** @param {number} value */
  down(value) {
    const [low, high] = this.y;
    const [, , top, bottom] = this.inner;
    return bottom - ((value - low) / (high - low)) * (bottom - top);
  }

  /** A curve through points. @param {[number, number][]} points @param {string} stroke
   * @param {{ steps?: boolean, width?: number, dash?: number[] }} [how] */
  curve(points, stroke, how = {}) {
    const pen = this.pen;
    pen.strokeStyle = stroke;
    pen.lineWidth = how.width ?? 1.5;
    pen.setLineDash(how.dash ?? []);
    pen.beginPath();
    let before = 0;
    points.forEach(([x, y], place) => {
      const [at, down] = [this.right(x), this.down(y)];
      if (place === 0) pen.moveTo(at, down);
      else {
        if (how.steps) pen.lineTo(at, before);
        pen.lineTo(at, down);
      }
      before = down;
    });
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Faint points. @param {[number, number][]} points @param {string} fill */
  points(points, fill) {
    const pen = this.pen;
    pen.fillStyle = fill;
    pen.globalAlpha = 0.25;
    for (const [x, y] of points) pen.fillRect(this.right(x) - 1, this.down(y) - 1, 2, 2);
    pen.globalAlpha = 1;
  }

  /** A bar that stands on the axis. */
  bar(/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ height, /** @type {string} */ fill) {
    const [left, right] = [this.right(from), this.right(to)];
    const top = this.down(height);
    this.pen.fillStyle = fill;
    this.pen.fillRect(left, top, Math.max(1, right - left - 1), this.down(0) - top);
  }
}

/** The least and the greatest of some numbers. @param {Iterable<number>} values @returns {[number, number]} */
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}

/** The convergence of a trial: every individual as a faint point, the generation's mean and worst,
 * the best so far. */
export class Convergence {
  /** @param {any} canvas */
  constructor(canvas) {
    this.plot = new Plot(canvas, "generation", "fitness (lower is better)");
    /** @type {any[]} */
    this.points = [];
    /** The generations that are shown; null: all. @type {[number, number] | null} */
    this.window = null;
    this.plot.redraw = () => this.draw();
    this.listen(canvas);
  }

  /** Zoom: drag over generations, or the keys + - ← →; a double click or 0 shows all again. It stays
   * while the search goes on. @param {any} canvas */
  listen(canvas) {
    canvas.tabIndex = 0;
    canvas.title = "Drag to zoom in, double-click to see all. Keys: + − ← → 0";
    /** @type {number | null} */
    let from = null;
    canvas.addEventListener("pointerdown", (/** @type {any} */ event) => {
      from = this.plot.generationAt(event.offsetX);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (/** @type {any} */ event) => {
      const to = this.plot.generationAt(event.offsetX);
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
    const last = Math.max(10, this.now?.generation ?? 0, this.points.at(-1)?.generation ?? 0);
    if (window) window = [Math.max(0, window[0]), Math.min(last, window[1])];
    this.window = window && window[1] - window[0] >= 1 && window[1] - window[0] < last ? window : null;
    this.draw();
  }

  /** @param {{ replaces: boolean, points: any[] }} news */
  take({ replaces, points }) {
    if (replaces) this.points = points;
    else this.points.push(...points);
  }

  clear() {
    this.points = [];
    this.window = null;
    this.draw();
  }

  /** @param {any} [now] the generation that is shown, if it is no point of the series */
  draw(now = this.now) {
    this.now = now;
    const whole = now && !(this.points.at(-1)?.generation >= now.generation) ? [...this.points, now] : this.points;
    const [left, right] = this.window ?? [0, Math.max(10, whole.at(-1)?.generation ?? 0)];
    // One point to either side, so that curves reach the edges.
    const first = Math.max(0, whole.findIndex((one) => one.generation >= left) - 1);
    const after = whole.findIndex((one) => one.generation > right);
    const all = this.window ? whole.slice(first, after < 0 ? undefined : after + 1) : whole;
    if (all.length === 0) {
      this.plot.frame([0, 10], [0, 1]);
      return;
    }
    const values = function* () {
      for (const one of all) {
        yield one.best;
        yield one.worst;
        if (one.best_so_far !== null) yield one.best_so_far;
      }
    };
    const [low, high] = extent(values());
    const room = (high - low) * 0.04;
    this.plot.frame([left, right], [low - room, high + room]);
    this.plot.clip();
    const individuals = [];
    for (const one of all) for (const value of one.individuals) individuals.push(/** @type {[number, number]} */ ([one.generation, value]));
    this.plot.points(individuals, colour("ink"));
    const of = (/** @type {string} */ name) => all.filter((one) => one[name] !== null).map((one) => /** @type {[number, number]} */ ([one.generation, one[name]]));
    this.plot.curve(of("worst"), colour("third"), { dash: [2, 3] });
    this.plot.curve(of("mean"), colour("second"), { dash: [6, 3] });
    this.plot.curve(of("best"), colour("first"), { width: 1 });
    this.plot.curve(of("best_so_far"), colour("first"), { steps: true, width: 2.5 });
    this.plot.pen.restore();
    this.words(all.at(-1));
  }

  /** Says what the curve shows. @param {any} last */
  words({ generation, best_so_far: best, mean, worst }) {
    const shown = this.window ? ` Shown are generations ${number(this.window[0])} to ${number(this.window[1])}.` : "";
    const label = `Convergence: in generation ${number(generation)} the best fitness so far is ${number(best)}; of the generation, the mean is ${number(mean)} and the worst ${number(worst)}.${shown}`;
    this.plot.canvas.setAttribute("aria-label", label);
  }
}

/** A population as a picture: a row per individual, a column per gene.
 * @param {any} canvas @param {{ rows: number, columns: number, shades: number[] }} strip */
export function drawStrip(canvas, { rows, columns, shades }) {
  if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows];
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  shades.forEach((shade, place) => image.data.set(viridis(shade / 255), place * 4));
  pen.putImageData(image, 0, 0);
}

/** Colours of about even steps in lightness, told apart by all eyes, after the map "viridis" (van der
 * Walt and Smith 2015): nine of its colours and what is between them. */
const MAP = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
  [31, 158, 137], [53, 183, 121], [110, 206, 88], [253, 231, 37],
];

/** @param {number} share from 0 to 1 */
function viridis(share) {
  const at = Math.min(share * (MAP.length - 1), MAP.length - 1.000001);
  const [low, part] = [Math.floor(at), at % 1];
  const mixed = [0, 1, 2].map((place) => MAP[low][place] + (MAP[low + 1][place] - MAP[low][place]) * part);
  return [...mixed.map(Math.round), 255];
}
