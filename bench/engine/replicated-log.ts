/**
 * The replicated log alone, on three etcd members and three clients of this one machine: entries committed a second, the
 * time of one, and the longest time without a commit when the leader and its member are killed. Results as JSON lines.
 *
 *   node bench/engine/replicated-log.ts [--seconds=5] [--kills=5]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Checker } from '../../engine/log/replicated/testing/checker.ts';
import { EtcdGroup } from '../../test/replication/etcd-group.ts';
import { LogReplica, type LogGroup } from '../../test/replication/log-replica.ts';
import { eventually } from '../../test/support/shell.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    kills: { type: 'string', default: '5' },
  },
});

const print = (row: object): boolean => process.stdout.write(`${JSON.stringify(row)}\n`);
const round = (value: number): number => Math.round(value * 10) / 10;

async function withGroup(
  settings: Pick<LogGroup, 'messageSize' | 'depth'>,
  work: (group: LogGroup, members: EtcdGroup) => Promise<void>,
): Promise<void> {
  const members = await EtcdGroup.start();
  const group: LogGroup = {
    ...settings,
    checker: new Checker(),
    replicas: [],
    target: (member) => members.target(member),
    replicaCount: members.size,
    writing: true,
    ids: 0,
    violation: undefined,
    acknowledgedAtMs: [],
  };
  try {
    for (let index = 0; index < members.size; index += 1) {
      group.replicas.push(new LogReplica(group, index));
    }
    for (const replica of group.replicas) replica.start();
    await leader(group);
    await sleep(1000);
    await work(group, members);
    if (group.violation) throw group.violation;
  } finally {
    for (const replica of group.replicas) replica.stop();
    await members.dispose();
  }
}

function leader({ acknowledgedAtMs, replicas }: LogGroup): Promise<LogReplica> {
  const before = acknowledgedAtMs.length;
  return eventually('a leader commits', async () =>
    acknowledgedAtMs.length > before ? replicas.find((replica) => replica.isLeading) : undefined,
  );
}

/** Entries a second, blocks a second, and the median time between two commits, which at depth 1 is that of one. */
async function throughput(
  name: string,
  settings: Pick<LogGroup, 'messageSize' | 'depth'>,
): Promise<void> {
  await withGroup(settings, async (group) => {
    const checkpoints = setInterval(() => group.replicas.forEach((each) => each.checkpoint()), 500);
    const [first, blocks, fromMs] = [
      group.acknowledgedAtMs.length,
      group.checker.blockCount,
      performance.now(),
    ];
    await sleep(Number(values.seconds) * 1000);
    clearInterval(checkpoints);
    const seconds = (performance.now() - fromMs) / 1000;
    const times = group.acknowledgedAtMs.slice(first);
    const steps = times.slice(1).map((atMs, index) => atMs - times[index]!);
    const sorted = steps.toSorted((one, other) => one - other);
    print({
      name,
      entriesPerSecond: round(times.length / seconds),
      blocksPerSecond: round((group.checker.blockCount - blocks) / seconds),
      mibPerSecond: round((times.length * settings.messageSize) / 2 ** 20 / seconds),
      ...(settings.depth === 1 ? { p50Ms: round(sorted[sorted.length >> 1] ?? 0) } : {}),
      longestGapMs: round(sorted.at(-1) ?? 0),
    });
  });
}

async function failover(kills: number): Promise<void> {
  await withGroup({ messageSize: 1024, depth: 16 }, async (group, members) => {
    const gaps: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const leading = await leader(group);
      const first = group.acknowledgedAtMs.length - 1;
      leading.stop();
      await members.signal(leading.index, 'SIGKILL');
      await leader(group);
      const times = group.acknowledgedAtMs.slice(first);
      gaps.push(Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!)));
      members.start(leading.index);
      leading.start();
      await sleep(3000);
    }
    print({
      name: 'leader and its member killed: longest time without a commit',
      gapsMs: gaps.map(Math.round),
    });
  });
}

await throughput('1 KiB entries, one at a time', { messageSize: 1024, depth: 1 });
await throughput('1 KiB entries, 64 waiting', { messageSize: 1024, depth: 64 });
await throughput('1 MiB entries, one at a time', { messageSize: 1 << 20, depth: 1 });
await throughput('1 MiB entries, 4 waiting', { messageSize: 1 << 20, depth: 4 });
await failover(Number(values.kills));
