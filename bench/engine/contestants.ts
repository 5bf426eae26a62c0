/** The engines that take turns in a comparison: each begins on new data files, and tells how large it has become. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { ReplicaGroup } from '../../test/replication/replica-group.ts';
import { Pod } from '../../test/soak/pod.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { TigerBeetle } from '../../test/support/engine/tigerbeetle.ts';
import { memoryOf } from '../support/process-figures.ts';

export interface Contestant {
  readonly addresses: readonly string[];
  /** Process IDs of all that serves: replicas, and members of etcd. */
  pids(): readonly number[];
  /** Bytes that the data take on the disk. A file's holes are not counted. */
  storedBytes(): number;
  /** Kills all replicas and starts them again on their data files. Does not wait until they answer. */
  killAndStart(): Promise<void>;
  dispose(): Promise<void>;
}

export interface Conditions {
  readonly replicas: number;
  /** Kernel limit of the memory of all processes of an engine, in bytes. Absent: the machine's. */
  readonly memoryBytes?: number | undefined;
}

export const residentMib = (one: Contestant): number =>
  one.pids().reduce((sum, pid) => sum + memoryOf(pid).residentMib, 0);

const bytesOf = (path: string): number => statSync(path).blocks * 512;
const local = (port: number): string => `127.0.0.1:${port}`;

/** Runs `begin` so that the processes which it starts share the limit. */
async function limited<T extends Contestant>(
  { memoryBytes }: Conditions,
  begin: (within: <R>(work: () => Promise<R>) => Promise<R>) => Promise<T>,
): Promise<Contestant> {
  if (memoryBytes === undefined) return begin((work) => work());
  const pod = Pod.make(memoryBytes);
  if (pod === undefined) throw new Error('MEMORY needs cgroups v1 and the rights to make one');
  const one = await begin((work) => pod.within(work));
  return {
    ...one,
    dispose: async () => {
      await one.dispose();
      pod.remove();
    },
  };
}

export const ours = (conditions: Conditions): Promise<Contestant> =>
  limited(conditions, async (within) => {
    const { replicas, memoryBytes } = conditions;
    const flags =
      memoryBytes === undefined
        ? []
        : [`--memory-limit=${Math.floor(ledgerMemoryLimit(memoryBytes / replicas) / 2 ** 20)}MiB`];
    if (replicas === 1) {
      const engine = await within(() => TestEngine.create({ flags }));
      return {
        addresses: [local(engine.port)],
        pids: () => [engine.pid],
        storedBytes: () => bytesOf(engine.path),
        killAndStart: () =>
          within(async () => {
            await engine.end('SIGKILL');
            await engine.start();
          }),
        dispose: () => engine.dispose(),
      };
    }
    const group = await within(() => ReplicaGroup.start({ size: replicas, flags }));
    const all = Array.from({ length: replicas }, (_, replica) => replica);
    const files = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? join(entry.parentPath, entry.name) : [],
      );
    return {
      addresses: group.addresses,
      pids: () =>
        all.flatMap((replica) => [group.pid(replica) ?? [], group.etcd.pid(replica) ?? []].flat()),
      storedBytes: () =>
        all
          .flatMap((replica) => files(group.etcd.volume(replica)))
          .reduce((sum, file) => sum + bytesOf(file), 0),
      killAndStart: () =>
        within(async () => {
          await Promise.all(all.map((replica) => group.killBoth(replica)));
          for (const replica of all) group.startBoth(replica);
        }),
      dispose: () => group.dispose(),
    };
  });

export const theirs = (program: string, conditions: Conditions): Promise<Contestant> =>
  limited(conditions, async (within) => {
    // As on a server: the flag for development makes its caches small.
    const options = { replicas: conditions.replicas, flags: [] };
    const cluster = await within(() => TigerBeetle.create(program, options));
    return {
      addresses: cluster.ports.map(local),
      pids: () => cluster.pids,
      storedBytes: () => cluster.files.reduce((sum, file) => sum + bytesOf(file), 0),
      killAndStart: () =>
        within(async () => {
          await cluster.kill();
          await cluster.start();
        }),
      dispose: () => cluster.dispose(),
    };
  });
