// Problems for `runner` in JavaScript: serves the protocol of docs/programs.md on standard input
// and standard output. See knapsack.js for its use.
"use strict";
const fs = require("node:fs");

const [HELLO, CREATE, EVALUATE, DESTROY] = [0, 1, 2, 11];
const [OK, FAILED] = [0, 2];
const GENES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

// What the problem prints must not get between the answers: it goes to standard error.
Object.defineProperty(process, "stdout", { get: () => process.stderr });

// Exactly so many bytes of standard input; null at its end.
function read(length) {
  const bytes = Buffer.alloc(length);
  for (let have = 0; have < length; ) {
    let more;
    try {
      more = fs.readSync(0, bytes, have, length - have, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      if (error.code === "EOF") return null;
      throw error;
    }
    if (more === 0) return null;
    have += more;
  }
  return bytes;
}

function write(bytes) {
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += fs.writeSync(1, bytes, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// Serves a class with the static members `declares`, and the methods `describe` and `fitness`.
exports.serve = (Problem) => {
  const problems = new Map();

  const answer = (kind, body) => {
    if (kind === HELLO) {
      const about = { protocol: 2, about: `Node.js ${process.version}`, ...Problem.declares };
      return Buffer.from(JSON.stringify(about));
    }
    const number = body.readUInt32LE(0);
    if (kind === CREATE) {
      const problem = new Problem(JSON.parse(body.subarray(4)));
      const description = problem.describe();
      problems.set(number, { problem, description });
      return Buffer.from(JSON.stringify(description));
    }
    if (kind === DESTROY) {
      problems.delete(number);
      return Buffer.alloc(0);
    }
    if (kind === EVALUATE) {
      const { problem, description } = problems.get(number);
      const rows = body.readUInt32LE(4);
      // A copy: typed arrays need their bytes to begin at a multiple of their size.
      const bytes = new Uint8Array(body.subarray(8)).buffer;
      const genes = new GENES[description.gene](bytes);
      const fitness = new Float64Array(rows);
      for (let row = 0; row < rows; row++) {
        const genome = genes.subarray(row * description.length, (row + 1) * description.length);
        fitness[row] = problem.fitness(genome);
      }
      return Buffer.from(fitness.buffer);
    }
    throw new Error(`the request ${kind} is unknown`);
  };

  let [secret, expected] = [null, 0n];
  for (;;) {
    // Length, kind, secret and number; the body; the secret again.
    const head = read(21);
    if (head === null) return;
    const body = read(head.readUInt32LE(0) - 16);
    if (body === null) return;
    const end = body.length - 8;
    secret ??= head.readBigUInt64LE(5);
    const number = head.readBigUInt64LE(13);
    if (head.readBigUInt64LE(5) !== secret || body.readBigUInt64LE(end) !== secret || number !== expected++) {
      throw new Error("something besides the runner wrote requests, or read them");
    }
    let status = OK;
    let reply;
    try {
      reply = answer(head[4], body.subarray(0, end));
    } catch (error) {
      [status, reply] = [FAILED, Buffer.from(`${error.name}: ${error.message}`)];
    }
    // Length, status, secret, number and process; the answer; the secret again.
    const start = Buffer.alloc(25);
    start.writeUInt32LE(reply.length + 28, 0);
    start[4] = status;
    head.copy(start, 5, 5, 21);
    start.writeUInt32LE(process.pid, 21);
    write(Buffer.concat([start, reply, head.subarray(5, 13)]));
  }
};
