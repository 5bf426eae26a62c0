/** Reads a replica's `/status` over HTTP. */

const sizeMax = 64 * 1024;

/** Returns the JSON that `url` answers with. Rejects when there is none, or the signal aborts. Tests bring their own. */
export type StatusFetch = (url: string, signal: AbortSignal) => Promise<unknown>;

export const fetchStatus: StatusFetch = async (url, signal) => {
  // Compressed, few bytes could be very many.
  const headers = { 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { signal, redirect: 'error', headers });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  return JSON.parse(await textOf(response)) as unknown;
};

/** Whoever answers in a pod may be anybody: no more is read, after decompression, than a status can have. */
async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > sizeMax) throw new Error(`the answer is longer than ${sizeMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
