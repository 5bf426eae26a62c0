/** Several replicas of the built-in engine on a real cluster: what they say, who leads, and whom a rollout takes when. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { BuiltinStatus } from '../../../domain/engine-status.ts';
import type { Pod } from '../../../domain/kinds.ts';
import { ports } from '../../../domain/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
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
  /** Those that were stopped while they led, as they say themselves, and another was still to go. */
  readonly leadersTooEarly: readonly string[];
  /** How many pods there were at least that were not being stopped. */
  readonly fewest: number;
}

const rolloutMs = 300_000;
/** Each question to a replica is a process in its pod. */
const askEveryMs = 1_000;
/** A replica that has led for less than that may have got the lead after the operator asked who has it. */
const reignMinMs = 10_000;
/** Longest time until the last lines of a pod that is gone are here. */
const logMaxMs = 60_000;

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
      const logs = new Map<string, EngineLog>();
      for (const pod of before) logs.set(nameOf(pod), await EngineLog.follow(world.cluster, pod));
      const order: string[] = [];
      const seenToLead: string[] = [];
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
            if (pod === leading && left.length > 0) seenToLead.push(pod);
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
      await Promise.all([...logs.values()].map((log) => log.end()));
      // Whom this process saw leading may have lost the lead since, on a slow machine some seconds before it went.
      const leadersTooEarly = seenToLead.filter((pod) => logs.get(pod)?.ledWhenStopped === true);
      return { order, leadersTooEarly, fewest };
    },
  };
}

/** What the engine of a pod logs from its beginning to its end. */
class EngineLog {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = '';

  private constructor(kubectl: string, args: readonly string[]) {
    const child = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', (chunk: Buffer) => (this.#text += chunk.toString()));
    this.#child = child;
    this.#ended = once(child, 'close');
  }

  static async follow(cluster: TestCluster, { metadata }: Pod): Promise<EngineLog> {
    const { namespace = 'default', name = '' } = metadata;
    const where = ['--kubeconfig', cluster.kubeconfig, '-n', namespace];
    return new EngineLog(await cluster.kubectlPath(), [
      ...where,
      'logs',
      '--follow',
      name,
      '--container=engine',
    ]);
  }

  /** Resolves when all of it is here. It ends with the engine. */
  async end(): Promise<void> {
    await Promise.race([this.#ended, sleep(logMaxMs, undefined, { ref: false })]);
    this.#child.kill();
  }

  /** Whether it handed the lead over because it was stopped, and had had it for a while. */
  get ledWhenStopped(): boolean {
    let leadsSinceMs = Infinity;
    for (const line of this.#text.split('\n').filter((one) => /^\{.*\}$/.test(one))) {
      const { time, role, why } = JSON.parse(line) as Line;
      if (role === 'leader') leadsSinceMs = time;
      if (role === 'follower' && why === 'stopping') return time - leadsSinceMs > reignMinMs;
    }
    return false;
  }
}

interface Line {
  readonly time: number;
  readonly role?: string;
  readonly why?: string;
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
