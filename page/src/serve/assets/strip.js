// Populations as pictures.
// @ts-check

/** A population as a picture: a row per individual, a column per gene.
 * @param {any} canvas @param {{ rows: number, columns: number, shades: number[] }} strip */
export function drawStrip(canvas, { rows, columns, shades }) {
  if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows];
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  shades.forEach((shade, place) => image.data.set(SHADES[shade], place * 4));
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

/** The colour of each shade. */
const SHADES = Array.from({ length: 256 }, (_, shade) => viridis(shade / 255));
