// Plots on canvases, in the page's colours.
// @ts-check
import { number } from "./dom.js";

/** Colours of what stands side by side. */
export const COLOURS = ["first", "second", "third", "fourth", "fifth", "sixth"];

/** Room for the axes at the usual size of text, in pixels: left, right, top, bottom; on the right
 * more, where the last number needs it. */
const EDGE = [56, 12, 10, 34];
/** The usual size of text, in pixels. */
const TEXT = 12;

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

/** How much of a point's colour is seen. */
const FAINT = 0.25;

/** More rows than a plot has. */
const ROWS = 1 << 16;

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
    const text = Number.parseFloat(getComputedStyle(this.canvas).fontSize) || TEXT;
    const scale = text / TEXT;
    const edge = EDGE.map((room) => room * scale);
    pen.font = `${text}px system-ui, sans-serif`;
    const across = ticks(left, right, Math.max(2, width / (90 * scale)));
    const half = pen.measureText(short(across.at(-1) ?? right)).width / 2;
    this.inner = [edge[0], width - Math.max(edge[1], Math.ceil(half) + 2), edge[2], height - edge[3]];
    pen.lineWidth = 1;
    pen.fillStyle = colour("faint");
    pen.strokeStyle = colour("grid");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks(low, high, Math.max(2, height / (50 * scale)))) {
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
    pen.fillText(this.across, (this.inner[0] + this.inner[1]) / 2, height - 14 * scale);
    pen.save();
    pen.translate(12 * scale, (this.inner[2] + this.inner[3]) / 2);
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
  valueAt(at) {
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

  /** Faint points, darker where there are several: a square for each place, since drawing is slow.
   * @param {[number, number][]} points @param {string} fill */
  points(points, fill) {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const [x, y] of points) {
      const place = Math.round(this.right(x)) * ROWS + Math.round(this.down(y));
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    const pen = this.pen;
    pen.fillStyle = fill;
    for (const [place, count] of counts) {
      pen.globalAlpha = 1 - (1 - FAINT) ** count;
      pen.fillRect(Math.floor(place / ROWS) - 1, (place % ROWS) - 1, 2, 2);
    }
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
