/**
 * Reads a replica's `/status` and `/metrics` over HTTP. By Node's own client, not by `fetch`: a worker asks thousands of replicas in
 * seconds, and what `fetch` makes for a request stays until the whole heap is searched for garbage.
 */
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';

const statusMax = 64 * 1024;

/** Each connection ends with its answer: it would end anyway before a replica is asked again. */
const agent = new Agent({ keepAlive: false });

/** Returns the JSON that `url` answers with. Rejects when there is none, or when the signal aborts. Tests replace it. */
export type StatusFetch = (url: string, signal: AbortSignal) => Promise<unknown>;

export const fetchStatus: StatusFetch = async (url, signal) =>
  JSON.parse(await fetchText(url, signal, statusMax)) as unknown;

/**
 * Returns the text that `url` answers with. Rejects when there is none, when it has more than `sizeMax` bytes, or when the signal
 * aborts. No listener of the request knows the text, because a request stays for a while after it.
 */
export async function fetchText(
  url: string,
  signal: AbortSignal,
  sizeMax: number,
): Promise<string> {
  signal.throwIfAborted();
  // A small compressed body could expand to a very large one.
  const asked = request(url, { agent, headers: { 'Accept-Encoding': 'identity' } });
  const giveUp = () => asked.destroy();
  signal.addEventListener('abort', giveUp);
  const response = responseTo(asked);
  asked.end();
  try {
    return await textOf(await response, sizeMax);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    asked.destroy();
  }
}

/** Rejects whenever the connection closes first: without an error it does so where the answer changes the protocol. */
const responseTo = (asked: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    asked.once('response', resolve);
    // A connection may also fail after its answer.
    asked.on('error', reject);
    asked.once('close', () => reject(new Error('the connection closed without an answer')));
  });

/** Reads the body up to the size, as it was sent: any process may answer in a pod. */
async function textOf(response: IncomingMessage, sizeMax: number): Promise<string> {
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) throw new Error(`status ${statusCode}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > sizeMax) throw new Error(`the answer is longer than ${sizeMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
