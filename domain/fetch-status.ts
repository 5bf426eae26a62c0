/** Reads a replica's `/status` and `/metrics` over HTTP. */

const statusMax = 64 * 1024;

/** Returns the JSON that `url` answers with. Rejects when there is none, or when the signal aborts. Tests replace it. */
export type StatusFetch = (url: string, signal: AbortSignal) => Promise<unknown>;

export const fetchStatus: StatusFetch = async (url, signal) =>
  JSON.parse(await fetchText(url, signal, statusMax)) as unknown;

/** Returns the text that `url` answers with. Rejects when there is none, when it has more than `sizeMax` bytes, or when the signal aborts. */
export async function fetchText(
  url: string,
  signal: AbortSignal,
  sizeMax: number,
): Promise<string> {
  // A small compressed body could expand to a very large one.
  const headers = { 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { signal, redirect: 'error', headers });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  return textOf(response, sizeMax);
}

/** Reads the body up to the size, after decompression: any process may answer in a pod. */
async function textOf(response: Response, sizeMax: number): Promise<string> {
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
