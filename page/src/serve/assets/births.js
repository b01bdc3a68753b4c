// What happened in a generation: some of its children, with their parents, the cut, the mutation, and
// the fitness before and after.
// @ts-check
import { element, number, pictureAddress } from "./dom.js";

/** @typedef {{ svg: string | null, genes: (number | null)[], fitness: number | null }} Relative */
/** @typedef {{ parents: Relative[], cut: number | null, bred: Relative | null, mutates: boolean,
 *   born: Relative, from: number, length: number }} Birth */

/** Said where there is nothing to show. */
const NONE = "Some children and their parents are shown here when the search is paused, or goes at 5 generations a second or slower, from generation 1 on. The algorithm has to be evolutionary, islands, cellular or deterministic-crowding.";

/** Said beside several searches. */
const SEVERAL = "Choose one operator set under “Watched” to see its children with their parents.";

/** Shows children of a generation. @param {any} root @param {Birth[]} births
 * @param {boolean} several whether several searches run side by side */
export function showBirths(root, births, several) {
  if (births.length === 0) {
    const words = several ? SEVERAL : NONE;
    if (root.textContent !== words) root.replaceChildren(element("p", { class: "help" }, words));
    return;
  }
  const part = (/** @type {string} */ name, /** @type {string} */ words) => [element("span", { class: name }, words), " "];
  root.replaceChildren(
    element("p", { class: "legend genes" },
      part("one", "from parent A"), part("other", "from parent B"), part("either", "alike in both"),
      births.some((birth) => originsOf(birth).includes("moved")) ? part("moved", "from elsewhere") : [],
      births.some(({ cut }) => cut !== null) ? part("cut", "cut") : [], part("new", "mutated")),
    element("ol", { class: "births" }, births.map((birth, place) => element("li", {}, ...shown(birth, place)))));
}

/** @param {Birth} birth @param {number} place */
function shown(birth, place) {
  const { parents, bred, born } = birth;
  const crossed = parents.length === 2;
  const from = originsOf(birth);
  const steps = parents.map((parent, at) => step(`Parent ${"AB"[at]}`, parent, birth, crossed ? Array(parent.genes.length).fill(["one", "other"][at]) : [], crossed));
  const before = bred ?? born;
  if (crossed || !bred) steps.push(step(crossed ? "Child" : "Copy", before, birth, from, crossed));
  if (bred) steps.push(step("After mutation", born, birth, from.map((kind, at) => (born.genes[at] === bred.genes[at] ? kind : "new")), false));
  return [element("p", { class: "words" }, element("strong", {}, `Child ${place + 1}. `), wordsOf(birth)), element("div", { class: "steps" }, steps)];
}

/** Where each gene of the child came from before its mutation.
 * @param {Birth} birth @returns {string[]} */
function originsOf({ parents, cut, bred, born, from }) {
  const child = (bred ?? born).genes;
  const [one, other] = parents;
  if (!other) return child.map(() => "either");
  return child.map((gene, at) => {
    if (cut !== null) return from + at < cut ? "one" : "other";
    if (one.genes[at] === other.genes[at]) return gene === one.genes[at] ? "either" : "moved";
    return gene === one.genes[at] ? "one" : gene === other.genes[at] ? "other" : "moved";
  });
}

/** One of those who take part: its picture, its genes, its fitness.
 * @param {string} title @param {Relative} relative @param {Birth} birth @param {string[]} kinds
 * @param {boolean} isCut whether the cut is shown */
function step(title, { svg, genes, fitness }, { cut, from, length }, kinds, isCut) {
  const cells = genes.map((gene, at) =>
    element("span", { class: `gene ${kinds[at] ?? "either"}${isCut && cut === from + at && cut > 0 ? " at-cut" : ""}` }, number(gene)));
  const more = [from > 0 ? element("span", { class: "gap" }, "…") : null, ...cells, from + genes.length < length ? element("span", { class: "gap" }, "…") : null];
  return element("figure", { class: "step" },
    element("figcaption", {}, title, fitness === null ? "" : element("span", { class: "fitness" }, `fitness ${number(fitness)}`)),
    svg ? element("img", { src: pictureAddress(svg), alt: "", width: "150", height: "150" }) : null,
    element("div", { class: "cells" }, more));
}

/** All of it in words. @param {Birth} birth */
function wordsOf({ parents, cut, bred, mutates, born, from, length }) {
  const fitness = (/** @type {Relative} */ one) => number(one.fitness);
  const [one, other] = parents;
  const first = cut === 1 ? "Gene 1 is" : `Genes 1 to ${number(cut)} are`;
  const source = !other ? `A copy of one parent (fitness ${fitness(one)}).`
    : cut === null ? `From the genes of two parents (fitness ${fitness(one)} and ${fitness(other)}).`
    : cut === 0 || cut === length ? `The cut is at an end: all genes are parent ${cut === 0 ? "B" : "A"}'s.`
    : `${first} parent A's (fitness ${fitness(one)}), the others parent B's (fitness ${fitness(other)}).`;
  const changes = bred ? born.genes.flatMap((gene, at) => (gene === bred.genes[at] ? [] : [[from + at + 1, bred.genes[at], gene]])) : [];
  const few = changes.slice(0, 3).map(([place, before, after]) => `gene ${number(place)} from ${number(before)} to ${number(after)}`);
  const mutation = changes.length > 0
    ? ` Mutation: ${few.join(", ")}${changes.length > few.length ? `, and ${changes.length - few.length} more` : ""}.`
    : mutates ? " The mutation left all genes as they were." : " No mutation.";
  const before = bred?.fitness ?? null;
  return `${source}${mutation} Fitness ${before === null ? "" : `${number(before)} before it, then `}${number(born.fitness)}.`;
}
