// Which of several searches is ahead, at equal numbers of evaluations.
// @ts-check
import { number } from "./dom.js";

/** @typedef {{ label: string, points: any[], now: any, ending: any }} Course a search so far */
/** @typedef {{ generation: number, evaluations: number, best: number }} Known a generation, and the best so far */

/** Names in a row: a, b and c. @param {string[]} names */
function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Evaluations that a search has had. @param {Course} course @returns {number} */
function spent({ points, now, ending }) {
  // The generation that is shown may be an earlier one than the last point.
  return ending ? ending.evaluations : Math.max(now.evaluations, points.at(-1)?.evaluations ?? 0);
}

/** The generations of a search that are known, with the best so far, infinite where no genome was
 * feasible; and its end. @param {Course} course @returns {Known[]} */
function knownOf({ points, now, ending }) {
  const known = [...points, now].map(({ generation, evaluations, best_so_far }) => ({ generation, evaluations, best: best_so_far ?? Infinity }));
  // The ending alone has the best of a last generation that was cut short.
  if (ending) known.push({ generation: Infinity, evaluations: ending.evaluations, best: ending.violation ? Infinity : ending.best_fitness ?? Infinity });
  return known.sort((one, other) => one.evaluations - other.evaluations);
}

/** The best fitness of a search after so many evaluations: the greatest and the least that it may
 * have been, because a long series lacks generations; none before the first.
 * @param {Known[]} known @param {number} evaluations @returns {[number, number] | null} */
function bestAt(known, evaluations) {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (known[middle].evaluations <= evaluations) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  const [one, next] = [known[low - 1], known[low]];
  const isExact = !next || one.evaluations === evaluations || next.generation === one.generation + 1;
  return [one.best, isExact ? one.best : next.best];
}

/** Numbers of evaluations that are tried at most: a line is made anew at every drawing. */
const TRIED = 300;

/** The best of each search after the same number of evaluations, the greatest at which all are known
 * exactly. If there is none nearby, that of the slowest, with what may be.
 * @param {Known[][]} all @param {number} most @returns {{ evaluations: number, bests: ([number, number] | null)[] }} */
function atEqual(all, most) {
  const at = (/** @type {number} */ evaluations) => ({ evaluations, bests: all.map((known) => bestAt(known, evaluations)) });
  const candidates = all.flat().map((one) => one.evaluations).filter((one) => one < most).sort((one, other) => other - one).slice(0, TRIED);
  const isExact = (/** @type {[number, number] | null} */ best) => best !== null && best[0] === best[1];
  for (const evaluations of new Set([most, ...candidates])) {
    const found = at(evaluations);
    if (found.bests.every(isExact)) return found;
  }
  return at(most);
}

/** Evaluations up to the success; none without. @param {Course} course @returns {number | null} */
function found({ ending }) {
  return ending?.success ? ending.evaluations_to_success : null;
}

/** Says who is ahead. Those that succeeded are told apart by the evaluations they took; before, all
 * are compared after as many evaluations as the slowest has had.
 * @param {Course[]} courses */
export function aheadWords(courses) {
  const winners = courses.filter((one) => found(one) !== null);
  if (winners.length > 0) return successes(courses, winners);
  const going = courses.filter((one) => !one.ending);
  const most = Math.min(...(going.length > 0 ? going : courses).map(spent));
  const { evaluations, bests } = atEqual(courses.map(knownOf), most);
  const fitness = (/** @type {number} */ best) => (Number.isFinite(best) ? number(best) : "no feasible genome");
  const at = `After ${number(evaluations)} evaluations`;
  // A search whose first population is not evaluated yet is not compared.
  if (bests.includes(null)) return "";
  const standing = courses.map(({ label }, place) => ({ label, best: bests[place]?.[0] ?? Infinity, least: bests[place]?.[1] ?? Infinity }))
    .sort((one, other) => one.best - other.best);
  if (standing.some(({ best, least }) => best !== least)) {
    const between = standing.map(({ label, best, least }) => `${label} ${best === least ? fitness(best) : `between ${fitness(least)} and ${fitness(best)}`}`);
    return `${at}: ${between.join("; ")}.`;
  }
  const ahead = standing.filter((one) => one.best === standing[0].best);
  const behind = standing.slice(ahead.length);
  if (behind.length === 0) return `${at} all are level: ${fitness(ahead[0].best)}.`;
  const others = behind.map((one) => `${one.label} ${fitness(one.best)}`);
  const verb = ahead.length === 1 ? "is" : "are";
  return `${at} ${listed(ahead.map((one) => one.label))} ${verb} ahead: ${fitness(ahead[0].best)}; ${others.join(", ")}.`;
}

/** @param {Course[]} courses @param {Course[]} winners */
function successes(courses, winners) {
  const order = [...winners].sort((one, other) => (found(one) ?? 0) - (found(other) ?? 0));
  const least = found(order[0]) ?? 0;
  const open = courses.filter((one) => found(one) === null && !one.ending && spent(one) < least);
  const won = order.map((one) => `${one.label} succeeded at evaluation ${number(found(one))}`);
  const others = courses.filter((one) => found(one) === null)
    .map((one) => `${one.label} has no success after ${number(spent(one))}`);
  const words = `${[...won, ...others].join("; ")}.`;
  const leaders = order.filter((one) => found(one) === least);
  const verb = leaders.length === 1 ? "is" : "are";
  const leading = leaders.length === courses.length ? "All are level."
    : `${listed(leaders.map((one) => one.label))} ${verb} ahead.`;
  return open.length === 0
    ? `${leading} ${words}`
    : `${words} ${listed(open.map((one) => one.label))} can still be ahead.`;
}
