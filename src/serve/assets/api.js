// What the server is asked.
// @ts-check

const base = document.body.dataset.base ?? "";

/** An address of the page. @param {string} path */
export function address(path) {
  return base + path;
}

/** Said when a stream breaks off. */
export const BROKEN = "The connection to the server broke. Is `runner serve` still running?";

/** What went wrong, in words that a person can act on. */
export class Refused extends Error {}

/**
 * The answer to a question.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(address(path), options);
  } catch {
    throw new Refused("The server does not answer. Was `runner serve` ended? Start it again, then reload this page.");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}

/** @param {string} path */
export function get(path) {
  return ask(path);
}

/** @param {string} path @param {any} content */
export function post(path, content) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(content) });
}

/**
 * Follows a stream. `take` has a function for each kind of event; `lost` is called when the
 * connection breaks before `closed` was.
 * @param {string} path
 * @param {Record<string, (content: any) => void>} take
 * @param {() => void} lost
 * @returns {() => void} closes it
 */
export function follow(path, take, lost) {
  const source = new EventSource(address(path));
  for (const [name, body] of Object.entries(take)) {
    source.addEventListener(name, (event) => body(JSON.parse(event.data)));
  }
  source.addEventListener("error", () => {
    // The browser tries again by itself, unless the server said that there is no such stream.
    if (source.readyState === EventSource.CLOSED) lost();
  });
  return () => source.close();
}
