import { parseAddresses, parseClusterId, required } from '../../engine/commands/values.ts';
import { UsageError, type Verb } from '../../engine/commands/verb.ts';
import type { DoubleConfig } from './config.ts';
import { createDataFile } from './data-file.ts';
import { readReplica } from './format.ts';
import { Request, type Hello } from './hello.ts';
import { quorumOf } from './membership.ts';
import { Peer } from './peers.ts';

/** A register and seven no-operations: upstream commits them before it trusts the cluster's view. */
const operations = 8;
/** Upstream waits forever; a test needs an error instead. */
const timeoutMs = 30_000;
const askEveryMs = 250;

export const recoverWith = ({ release }: DoubleConfig): Verb => ({
  name: 'recover',
  summary: 'Make a fresh data file for a replica that is lost for good.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
    { name: 'addresses', value: 'list', help: 'addresses of the replicas, in order' },
    { name: 'replica', value: 'index', help: 'index of the lost replica' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster' },
    { name: 'development', value: undefined, help: 'taken; changes nothing here' },
    { name: 'log-debug', value: undefined, help: 'taken; changes nothing here' },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const identity = {
      ...readReplica(input),
      clusterId: parseClusterId(required(input.flag('cluster'), 'cluster')),
    };
    const { replicaCount, replicaIndex } = identity;
    if (replicaCount < 3) throw new UsageError('recover needs a cluster of 3 replicas or more');
    const addresses = parseAddresses(required(input.flag('addresses'), 'addresses'));
    if (addresses.length < replicaCount) {
      throw new UsageError(`all --addresses must be provided: ${replicaCount} replicas`);
    }
    const peers = addresses
      .slice(0, replicaCount)
      .map((address, index) => new Peer(address, { ...identity, replicaIndex: index }))
      .filter((_, index) => index !== replicaIndex);
    try {
      const { view, commit, primary } = await healthyCluster(peers, replicaCount);
      primary.ask(`${Request.commit} ${operations}`);
      await eventually(() => (primary.lately?.commit ?? 0) >= commit + operations);
      await createDataFile(path, {
        identity,
        sequence: 1,
        release: Math.min(release, primary.lately?.release ?? release),
        releaseFormat: release,
        checkpointOp: 0,
        syncOpMax: commit + operations,
        view: view + 2,
      });
    } finally {
      for (const peer of peers) peer.close();
    }
    process.stderr.write(`recovered: cluster=${identity.clusterId}\n`);
    return 0;
  },
});

/** Waits until enough of the others are normal in the same view, including its primary. */
async function healthyCluster(
  peers: readonly Peer[],
  replicaCount: number,
): Promise<{ view: number; commit: number; primary: Peer }> {
  return eventually(() => {
    for (const peer of peers) peer.ask();
    const normal = peers.flatMap((peer) => {
      const hello = peer.lately;
      return hello?.status === 0 ? [{ peer, hello }] : [];
    });
    const view = Math.max(...normal.map(({ hello }) => hello.view));
    const primary = normal.find(({ hello }) => isPrimary(hello, view));
    return normal.length >= quorumOf(replicaCount) && primary !== undefined
      ? { view, commit: primary.hello.commit, primary: primary.peer }
      : undefined;
  });
}

const isPrimary = ({ replicaIndex, replicaCount }: Hello, view: number) =>
  view % replicaCount === replicaIndex;

async function eventually<T>(probe: () => T | false | undefined): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      throw new UsageError(`no healthy cluster at the addresses within ${timeoutMs / 1_000} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}
