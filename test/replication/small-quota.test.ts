/** What a small quota of etcd, as small volumes have it, must not lead to. */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Checker } from '../../engine/log/replicated/testing/checker.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventually } from '../support/shell.ts';
import { EtcdGroup } from './etcd-group.ts';
import { LogReplica, type LogGroup } from './log-replica.ts';

jest.setTimeout(900_000);

const QUOTA_BYTES = 32 << 20;
const MESSAGE_BYTES = 64 << 10;
/** Half as much again as the part of the quota from which on no entries are taken. */
const ENTRIES = (0.75 * QUOTA_BYTES) / MESSAGE_BYTES;

let members: EtcdGroup | undefined;
let group: LogGroup | undefined;
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const replica of group?.replicas ?? []) replica.stop();
  group = undefined;
  await members?.dispose();
  members = undefined;
});

test('a replica that gets no checkpoint done does not stop the others', async () => {
  const etcd = await EtcdGroup.start({ quotaBytes: QUOTA_BYTES });
  members = etcd;
  const checker = new Checker();
  const replicas: LogReplica[] = [];
  const made: LogGroup = {
    checker,
    replicas,
    target: (member) => etcd.target(member),
    replicaCount: etcd.size,
    messageSize: MESSAGE_BYTES,
    depth: 4,
    writing: true,
    ids: 0,
    violation: undefined,
    acknowledgedAtMs: [],
  };
  group = made;
  for (let index = 0; index < etcd.size; index += 1) replicas.push(new LogReplica(made, index));
  for (const replica of replicas) replica.start();
  const stuck = await eventually('a replica follows', async () =>
    replicas.some(({ isLeading }) => isLeading)
      ? replicas.find(({ isLeading }) => !isLeading)
      : undefined,
  );
  await eventually('more is written than etcd has room for', async () => {
    // On a busy machine it may be its turn; who leads keeps all that it would itself need.
    if (stuck.isLeading) void stuck.log?.handOver();
    for (const replica of replicas) if (replica !== stuck) replica.checkpoint();
    return checker.acknowledgedCount > ENTRIES || made.violation !== undefined || undefined;
  });
  expect(made.violation).toBeUndefined();
  expect(stuck.position.op).toBeGreaterThan(0);
  made.writing = false;
});
