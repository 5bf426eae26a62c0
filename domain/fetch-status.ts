/** Reads a replica's `/status` over HTTP. */

const sizeMax = 64 * 1024;

/** Returns the JSON that `url` answers with. Rejects when there is none, or the signal aborts. Tests bring their own. */
export type StatusFetch = (url: string, signal: AbortSignal) => Promise<unknown>;

export const fetchStatus: StatusFetch = async (url, signal) => {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const text = await response.text();
  if (text.length > sizeMax) throw new Error('the answer is too long');
  return JSON.parse(text) as unknown;
};
