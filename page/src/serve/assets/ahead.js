// Which of several searches is ahead, at equal numbers of evaluations.
// @ts-check
import { number } from "./dom.js";

/** @typedef {{ label: string, points: any[], now: any, ending: any }} Course a search so far */

/** Names in a row: a, b and c. @param {string[]} names */
function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Evaluations that a search has had. @param {Course} course @returns {number} */
function spent({ points, now, ending }) {
  // The generation that is shown may be an earlier one than the last point.
  return ending ? ending.evaluations : Math.max(now.evaluations, points.at(-1)?.evaluations ?? 0);
}

/** The best fitness of a search after so many evaluations; infinite where no genome was feasible.
 * @param {Course} course @param {number} evaluations @returns {number} */
function bestAt({ points, now, ending }, evaluations) {
  // The ending alone has the best of a last generation that was cut short.
  if (ending && ending.evaluations <= evaluations) return ending.violation ? Infinity : ending.best_fitness ?? Infinity;
  let last = null;
  for (const point of [...points, now]) {
    if (point.evaluations <= evaluations && point.evaluations >= (last?.evaluations ?? 0)) last = point;
  }
  return last?.best_so_far ?? Infinity;
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
  const evaluations = Math.min(...(going.length > 0 ? going : courses).map(spent));
  const standing = courses.map((one) => ({ label: one.label, best: bestAt(one, evaluations) }))
    .sort((one, other) => one.best - other.best);
  const ahead = standing.filter((one) => one.best === standing[0].best);
  const behind = standing.slice(ahead.length);
  const fitness = (/** @type {number} */ best) => (Number.isFinite(best) ? number(best) : "no feasible genome");
  const at = `After ${number(evaluations)} evaluations`;
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
