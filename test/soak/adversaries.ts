/** Clients that try to make an engine swell. Each does its worst for a while, goes away, and comes back. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { batchSize, connectTo, transferBytes } from '../support/engine/ledger.ts';
import { endlessFilters } from '../support/engine/long-lists.ts';
import { openDeafReader, openSocket, requestMessage } from '../support/engine/deaf-reader.ts';
import { buildPingClient } from '../../engine/wire/header.ts';
import { messageSizeMax } from '../../engine/wire/limits.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';

export interface Target {
  readonly port: number;
  readonly random: () => number;
  /** Returns false once the adversaries must end. */
  readonly goesOn: () => boolean;
  /** Returns true while the engine takes new events. */
  readonly acceptsWrites: () => Promise<boolean>;
}

const HALVES = 40;
const SILENT = 300;
const FILTERS_MAX = 8000;
const PENDING = 2;
const PINGS = 50;

/** Adversaries by name. Each resolves when `goesOn` returns false. */
export const adversaries: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  /** Sends queries for full pages in one write and reads none of the answers. */
  deaf: (target) =>
    again(target, async () => {
      const socket = await openDeafReader({ host: '127.0.0.1', port: target.port });
      await hold(target, 5000);
      socket.destroy();
    }),

  /** Asks for far more than can be read, and leaves at any time. */
  costly: (target) =>
    again(target, async () => {
      const client = connectTo(target.port, 600_000);
      const filters = 1 + Math.floor(target.random() * FILTERS_MAX);
      client.submit(Operation.queryTransfers, endlessFilters(filters)).catch(() => undefined);
      await hold(target, 3000);
      client.close();
    }),

  /** Sends half messages of the largest size over many connections. */
  halves: (target) =>
    again(target, async () => {
      const sockets = await Promise.all(Array.from({ length: HALVES }, () => open(target.port)));
      const body = new Uint8Array(messageSizeMax - 256);
      const head = { client: 5n, session: 1n, number: 1, operation: Operation.createTransfers };
      for (const socket of sockets)
        socket.write(requestMessage(head, body).subarray(0, body.length / 2));
      await hold(target, 4000);
      for (const socket of sockets) socket.destroy();
    }),

  /** Connects hundreds of times and says nothing. */
  silent: (target) =>
    again(target, async () => {
      const sockets = await Promise.all(Array.from({ length: SILENT }, () => open(target.port)));
      await hold(target, 4000);
      for (const socket of sockets) socket.destroy();
    }),

  /** Names another client with each ping. */
  fickle: (target) =>
    again(target, async () => {
      const socket = await open(target.port);
      socket.resume();
      const until = performance.now() + target.random() * 60_000;
      while (target.goesOn() && !socket.destroyed && performance.now() < until) {
        for (let i = 0; i < PINGS; i += 1) socket.write(pingOf(randomBytes(8).readBigUInt64LE()));
        await sleep(50);
      }
      socket.destroy();
    }),

  /** Fills the ledger up to its limit with pending transfers, all of which expire. */
  pending: async (target) => {
    const client = connectTo(target.port, 600_000);
    let id = BigInt(`0x${randomBytes(6).toString('hex')}`) << 64n;
    while (target.goesOn()) {
      // At the limit a create is never answered. Expired transfers give room back.
      if (!(await target.acceptsWrites())) {
        await hold(target, 2000);
        continue;
      }
      const transfers = Array.from({ length: batchSize }, () => ({
        id: (id += 1n),
        debit: 1n,
        credit: 2n,
        amount: 1n,
        flags: PENDING,
        timeout: 1 + Math.floor(target.random() * 120),
      }));
      const body = encodeMultiBatch([transferBytes(transfers)], 128);
      const sent = client.submit(Operation.createTransfers, body).catch(() => undefined);
      await Promise.race([sent, hold(target, 30_000)]);
    }
    client.close();
  },
};

async function again({ goesOn }: Target, attack: () => Promise<void>): Promise<void> {
  while (goesOn()) {
    // Refused or closed by the engine: that is its right.
    await attack().catch(() => undefined);
    await sleep(50);
  }
}

/** Waits for a random time up to `mostMs`, or until the end. */
async function hold({ goesOn, random }: Target, mostMs: number): Promise<void> {
  const until = performance.now() + random() * mostMs;
  while (goesOn() && performance.now() < until) await sleep(50);
}

const pingOf = (client: bigint): Uint8Array =>
  buildPingClient({ cluster: 0n, release: engineRelease, client, session: 0n, monotonic: 1n });

const open = (port: number): Promise<Socket> => openSocket({ host: '127.0.0.1', port });
