import { expect, test } from '@jest/globals';
import { EtcdError, type EtcdMember, type EtcdMembership } from '../log/replicated/etcd.ts';
import { replaceMember, SILENT_MIN_MS } from './replace-member.ts';

/** Membership as in etcd 3.6.16: at most one learner, none unless the voters would keep a majority with one more; new ids. */
class Cluster implements EtcdMembership {
  list: EtcdMember[];
  readonly away: Set<bigint>;
  readonly done: string[] = [];
  #nextId = 100n;

  constructor(size: number, away: readonly number[]) {
    this.list = Array.from({ length: size }, (_, index) => voter(index));
    this.away = new Set(away.map(BigInt));
  }

  async members(): Promise<readonly EtcdMember[]> {
    return this.list;
  }

  async addLearner(peerUrl: string): Promise<readonly EtcdMember[]> {
    const voters = this.list.filter(({ isLearner }) => !isLearner);
    const there = voters.filter(({ id }) => !this.away.has(id)).length;
    if (there < Math.floor((voters.length + 1) / 2) + 1)
      throw new EtcdError('unavailable', 'unhealthy cluster');
    if (this.list.some(({ isLearner }) => isLearner))
      throw new EtcdError('unavailable', 'too many learner members in cluster');
    this.#nextId += 1n;
    const added = { id: this.#nextId, name: '', peerUrls: [peerUrl], isLearner: true };
    this.list = [...this.list, added];
    this.done.push(`add ${peerUrl}`);
    return this.list;
  }

  async removeMember(memberId: bigint): Promise<readonly EtcdMember[]> {
    this.list = this.list.filter(({ id }) => id !== memberId);
    this.done.push(`remove ${memberId}`);
    return this.list;
  }

  promoteMember(): Promise<readonly EtcdMember[]> {
    return Promise.reject(new Error('a replacement promotes nobody'));
  }
}

const url = (replica: number): string => `http://10.0.0.${replica}:2380`;
const voter = (replica: number): EtcdMember => ({
  id: BigInt(replica),
  name: `r${replica}`,
  peerUrls: [url(replica)],
  isLearner: false,
});

const replace = (membership: EtcdMembership, replica: number, silentMs = SILENT_MIN_MS) =>
  replaceMember({ membership, replica, peerUrl: url(replica), silentMs });

test('the old member goes first, and the new one is told with whom it begins', async () => {
  const cluster = new Cluster(3, [2]);
  const initialCluster = [0, 1, 2].map((replica) => `r${replica}=${url(replica)}`).join(',');
  expect(await replace(cluster, 2)).toEqual({ outcome: 'added', initialCluster });
  expect(cluster.done).toEqual(['remove 2', `add ${url(2)}`]);
});

test('a second call finds the work that the first has begun', async () => {
  const cluster = new Cluster(3, [2]);
  await replace(cluster, 2);
  const before = cluster.list;
  // The silence does not matter: the new member has not even begun.
  expect((await replace(cluster, 2, 0)).outcome).toBe('added');
  expect(cluster.done).toHaveLength(2);
  // A crash between the two changes.
  cluster.list = before.filter(({ name }) => name !== '');
  expect((await replace(cluster, 2)).outcome).toBe('added');
  expect(cluster.done.slice(2)).toEqual([`add ${url(2)}`]);
});

test('a new member that has begun and is lost in its turn is replaced, too', async () => {
  const cluster = new Cluster(3, [2]);
  await replace(cluster, 2);
  cluster.list = cluster.list.map((one) => (one.name === '' ? { ...one, name: 'r2' } : one));
  expect((await replace(cluster, 2)).outcome).toBe('added');
  expect(cluster.done).toEqual(['remove 2', `add ${url(2)}`, 'remove 101', `add ${url(2)}`]);
});

test('a replica with a recent heartbeat keeps its member', async () => {
  const cluster = new Cluster(3, []);
  expect((await replace(cluster, 2, SILENT_MIN_MS - 1)).outcome).toBe('lives');
  expect(cluster.done).toEqual([]);
});

test('another replica’s URL is not taken for this one’s', async () => {
  const cluster = new Cluster(3, [2]);
  const membership = cluster;
  const asked = { membership, replica: 2, peerUrl: url(1), silentMs: SILENT_MIN_MS };
  expect(await replaceMember(asked)).toMatchObject({ outcome: 'refused' });
  expect(cluster.done).toEqual([]);
});

test('two of six: one after the other', async () => {
  const cluster = new Cluster(6, [4, 5]);
  expect((await replace(cluster, 4)).outcome).toBe('added');
  // The first one has no vote yet.
  expect((await replace(cluster, 5)).outcome).toBe('wait');
  expect(cluster.done).toEqual(['remove 4', `add ${url(4)}`]);
  cluster.list = cluster.list.map((one) =>
    one.isLearner ? { ...one, name: 'r4', isLearner: false } : one,
  );
  expect((await replace(cluster, 5)).outcome).toBe('added');
});

test('a step that etcd refuses is tried again and goes on from the steps already done', async () => {
  // The other replica is back, but not for long enough yet.
  const cluster = new Cluster(3, [1, 2]);
  expect(await replace(cluster, 2)).toEqual({
    outcome: 'wait',
    reason: 'etcd says: unhealthy cluster',
  });
  cluster.away.delete(1n);
  expect((await replace(cluster, 2)).outcome).toBe('added');
  expect(cluster.done).toEqual(['remove 2', `add ${url(2)}`]);
});
