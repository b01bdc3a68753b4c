// What the server is asked.
// @ts-check

const base = document.body.dataset.base ?? "";

/** An address of the page. @param {string} path */
export function address(path) {
  return base + path;
}

/** Sent with every question. A page of another site cannot send it, whatever the browser: it would
 * have to be allowed to, and nobody is. */
const OWN = { "x-runner-page": "1" };

/** Said when a stream breaks off. */
export const BROKEN = "The connection to the server broke. Is `runner serve` still running?";

/** Before a stream that broke off is asked for again, in milliseconds; and how often it is. */
const [PAUSE, TRIES] = [2000, 5];

/** What went wrong, in words that a person can act on. */
export class Refused extends Error {}

/**
 * A question and the server's response.
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(address(path), { ...options, headers: { ...OWN, ...options.headers } });
  } catch {
    throw new Refused("The server does not answer. Was `runner serve` ended? Start it again, then reload this page.");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Refused(answer.error ?? `The server answered ${response.status}.`);
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return (await ask(path)).json();
}

/** The text of an answer. @param {string} path */
export async function getText(path) {
  return (await ask(path)).text();
}

/** @param {string} path @param {any} content */
export async function post(path, content) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(content) })).json();
}

/**
 * Follows a stream of server-sent events. `take` has a function for each kind of event, which is also
 * told the event's id; `lost` is called when the connection breaks for good. (An EventSource cannot
 * send headers.)
 * @param {string} path
 * @param {Record<string, (content: any, id: string) => void>} take
 * @param {() => void} lost
 * @returns {() => void} closes it
 */
export function follow(path, take, lost) {
  const ending = new AbortController();
  const begin = async () => {
    for (let left = TRIES; left > 0; left--) {
      try {
        const response = await fetch(address(path), { headers: OWN, signal: ending.signal });
        // There is no such stream, or not any more.
        if (!response.ok || !response.body) break;
        await read(response.body, (name, data, id) => {
          left = TRIES;
          try {
            if (!ending.signal.aborted) take[name]?.(JSON.parse(data), id);
          } catch (error) {
            console.error(error);
          }
        });
      } catch {
        // The connection broke, or was closed from here.
      }
      if (ending.signal.aborted) return;
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    if (!ending.signal.aborted) lost();
  };
  begin();
  return () => ending.abort();
}

/** Reads events until the stream ends. @param {ReadableStream<Uint8Array>} body
 * @param {(name: string, data: string, id: string) => void} event */
async function read(body, event) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const lines of events) {
      const field = (/** @type {string} */ name) => lines.split("\n")
        .filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
      if (field("event") !== "") event(field("event"), field("data"), field("id"));
    }
    // Pieces that are there already would be read one after the other, and the page would not answer
    // to its user.
    await new Promise((done) => setTimeout(done));
  }
}
