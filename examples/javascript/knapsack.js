#!/usr/bin/env node
// Choose items of the greatest value that fit into a knapsack: examples/python/knapsack.py again.
"use strict";
const { serve } = require("./runner.js");

class Problem {
  static declares = {
    name: "knapsack",
    version: "1",
    summary: "Choose items of the greatest value that fit into a knapsack.",
    parameters: [
      { key: "n", kind: "integer", default: 20, low: 1, high: 10000, doc: "Items." },
    ],
  };

  constructor({ n }) {
    this.weights = Array.from({ length: n }, (_, i) => 3 + ((7 * i) % 11));
    this.values = Array.from({ length: n }, (_, i) => 5 + ((5 * i) % 13));
    this.room = Math.floor(this.weights.reduce((sum, one) => sum + one) / 2);
    this.worst = this.values.reduce((sum, one) => sum + one);
  }

  describe() {
    return { encoding: "bits", gene: "u8", length: this.values.length, worst: this.worst };
  }

  fitness(genome) {
    let weight = 0;
    let value = 0;
    genome.forEach((gene, i) => {
      weight += gene * this.weights[i];
      value += gene * this.values[i];
    });
    return this.worst - (weight <= this.room ? value : 0);
  }
}

serve(Problem);
