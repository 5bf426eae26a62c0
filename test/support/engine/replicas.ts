/** Several replicas of the built-in engine on a real cluster: what they say, who leads, and whom a rollout takes when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { BuiltinStatus } from '../../../domain/engine-status.ts';
import type { Pod } from '../../../domain/kinds.ts';
import { ports } from '../../../domain/names.ts';
import { conditionOf, type Installation } from '../cluster/installation.ts';
import type { Database } from '../operator/operator-world.ts';
import { eventually } from '../shell.ts';

export interface Replicas {
  /** In the order of their indexes. */
  pods(): Promise<readonly Pod[]>;
  leader(): Promise<Pod>;
  /** The status of all replicas once they hold the same operations. There may be no writes meanwhile. */
  alike(): Promise<BuiltinStatus[]>;
  /** Does what begins a rollout, and waits until every pod is another one. */
  rollout(deed: () => Promise<unknown>): Promise<Rollout>;
}

interface Rollout {
  /** Names of the pods, in the order in which they went. */
  readonly order: readonly string[];
  /** Those that went while they led and another was still to go. */
  readonly leadersTooEarly: readonly string[];
  /** How many pods there were at least that were not being stopped. */
  readonly fewest: number;
}

const rolloutMs = 300_000;
/** Each question to a replica is a process in its pod. */
const askEveryMs = 1_000;

export function replicasOf(world: Installation, name: string): Replicas {
  const pods = async () => world.pods(await world.get(name));
  const statusOf = async (pod: Pod): Promise<BuiltinStatus> =>
    JSON.parse(
      await world.beside(
        pod,
        `console.log(await (await fetch('http://127.0.0.1:${ports.status}/status')).text())`,
      ),
    ) as BuiltinStatus;
  const leaderOf = async (all: readonly Pod[]) => {
    for (const pod of all) {
      // One that is about to end or to begin has no say.
      const said = await statusOf(pod).catch(() => undefined);
      if (said?.role === 'primary') return pod;
    }
    return undefined;
  };
  const leader = () => eventually('one replica leads', async () => leaderOf(await pods()));
  return {
    pods,
    leader,
    alike: () =>
      eventually('all replicas hold the same operations', async () => {
        const all = await Promise.all((await pods()).map(statusOf));
        return new Set(all.map(({ op }) => op)).size === 1 ? all : undefined;
      }),
    async rollout(deed) {
      const before = await pods();
      const order: string[] = [];
      const leadersTooEarly: string[] = [];
      let fewest = before.length;
      let leading = nameOf(await leader());
      await deed();
      await eventually(
        'every pod is another one',
        async () => {
          const now = await pods();
          const staying = new Set(now.filter(isStaying).map(({ metadata }) => metadata.uid));
          const left = before.filter(({ metadata }) => staying.has(metadata.uid)).map(nameOf);
          for (const pod of before.map(nameOf)) {
            if (left.includes(pod) || order.includes(pod)) continue;
            order.push(pod);
            if (pod === leading && left.length > 0) leadersTooEarly.push(pod);
          }
          fewest = Math.min(fewest, staying.size);
          if (left.length === 0) return now.length === before.length ? true : undefined;
          await sleep(askEveryMs);
          // The last known leader is asked first: one request, unless the leader has changed.
          const asked = now.filter(isStaying).sort((a) => (nameOf(a) === leading ? -1 : 1));
          const found = await leaderOf(asked);
          if (found !== undefined) leading = nameOf(found);
          return undefined;
        },
        rolloutMs,
      );
      return { order, leadersTooEarly, fewest };
    },
  };
}

const nameOf = ({ metadata }: Pod): string => metadata.name ?? '';
const isStaying = ({ metadata }: Pod) => metadata.deletionTimestamp === undefined;

/** One replica of three after the other, the leader last. */
export function expectOneAtATime({ order, leadersTooEarly, fewest }: Rollout): void {
  expect(order).toHaveLength(3);
  expect(leadersTooEarly).toEqual([]);
  expect(fewest).toBeGreaterThanOrEqual(2);
}

/** Every observed value of `Available`; one other than True comes with its message. */
export const everAvailable = (seen: readonly Database[]) => [
  ...new Set(
    seen.map((one) => {
      const { status, message = '' } = conditionOf(one, 'Available') ?? {};
      return status === 'True' ? status : `${status}: ${message}`;
    }),
  ),
];
