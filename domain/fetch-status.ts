/** Reads a replica's `/status` over HTTP. */

const sizeMax = 64 * 1024;

/** Returns the JSON that `url` answers with. Rejects when there is none, or when the signal aborts. Tests replace it. */
export type StatusFetch = (url: string, signal: AbortSignal) => Promise<unknown>;

export const fetchStatus: StatusFetch = async (url, signal) => {
  // A small compressed body could expand to a very large one.
  const headers = { 'Accept-Encoding': 'identity' };
  const response = await fetch(url, { signal, redirect: 'error', headers });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  return JSON.parse(await textOf(response)) as unknown;
};

/** Reads the body up to the largest size of a status, after decompression: any process may answer in a pod. */
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
