/**
 * Asks a replica whether it serves. It needs no session: a replica in normal operation answers the protocol's ping to anybody.
 * The ping does not reach the ledger and takes none of the cluster's 64 sessions.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Timers } from '../../base/timers.ts';
import type { Address } from '../../engine/client/client.ts';
import { buildPingClient, Command, pongClientIsWellFormed } from '../../engine/wire/header.ts';
import { MessageReader } from '../../engine/wire/message-reader.ts';
import { engineRelease } from '../../engine/wire/release.ts';

/** Returns the milliseconds from the ping to its answer. Rejects on failure, after `timeoutMs`, or when the signal aborts. */
export async function ping(
  { host, port }: Address,
  cluster: bigint,
  { timers, timeoutMs, signal }: { timers: Timers; timeoutMs: number; signal: AbortSignal },
): Promise<number> {
  const name = `${host}:${port}`;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const reader = new MessageReader(cluster);
  const socket = connect({ host, port, noDelay: true });
  let sentAtMs: number | undefined;
  const cancel = timers.after(timeoutMs, () => {
    const what = sentAtMs === undefined ? 'no connection' : 'no answer';
    reject(new Error(`${name}: ${what} within ${timeoutMs / 1_000} s`));
  });
  const stop = () => reject(new Error('stopped'));
  signal.addEventListener('abort', stop);
  socket.on('connect', () => {
    sentAtMs = timers.nowMs();
    socket.write(
      buildPingClient({
        cluster,
        release: engineRelease,
        client: randomBytes(8).readBigUInt64LE() + 1n,
        session: 0n,
        monotonic: BigInt(Math.round(sentAtMs * 1e6)),
      }),
    );
  });
  socket.on('data', (chunk) => {
    const error = reader.push(chunk, ({ header }) => {
      if (header.command !== Command.pongClient || !pongClientIsWellFormed(header)) return;
      resolve(timers.nowMs() - (sentAtMs ?? 0));
    });
    if (error !== undefined) reject(new Error(`${name} does not speak the protocol (${error})`));
  });
  socket.on('error', ({ message }) => reject(new Error(`${name}: ${message}`)));
  socket.on('close', () => reject(new Error(`${name} closed the connection`)));
  try {
    return await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}
