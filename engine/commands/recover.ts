import { rm, writeFile } from 'node:fs/promises';
import { isThere } from '../../base/is-there.ts';
import { systemTimers } from '../../base/timers.ts';
import { DataFileError } from '../log/errors.ts';
import { formatDataFile } from '../log/format-file.ts';
import { placeWithoutState } from '../log/without-state.ts';
import { askLeader } from '../members/ask-leader.ts';
import { hasMember, initialClusterPath } from '../members/files.ts';
import { forgetMember } from '../members/own-member.ts';
import { isPeerUrl } from '../members/questions.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { engineRelease } from '../wire/release.ts';
import { logOf } from './format.ts';
import { peerSecurity, peerSecurityFlags } from './peer-security.ts';
import { UsageError, type Input, type Verb } from './verb.ts';
import {
  parseAddresses,
  parseClusterId,
  parseIncarnation,
  parseInteger,
  required,
} from './values.ts';

export const recover: Verb = {
  name: 'recover',
  summary:
    'Make a data file for a lost replica, which fetches the state from another one when it starts. Refuses to overwrite.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
    {
      name: 'addresses',
      value: 'list',
      help: 'accepted for compatibility; start gets the addresses of the others',
    },
    { name: 'replica', value: 'index', help: 'index of the lost replica' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster' },
    { name: 'incarnation', value: 'count', help: 'as for start; 1 by default' },
    {
      name: 'peer-addresses',
      value: 'list',
      help: "as for start; with it the leader is asked to replace the lost replica's etcd member first",
    },
    ...peerSecurityFlags,
    {
      name: 'member-url',
      value: 'url',
      help: "where the other members reach this replica's, e.g. https://10.0.0.5:2380",
    },
    {
      name: 'member-folder',
      value: 'path',
      help: "folder of this replica's etcd member; its content is deleted",
    },
    {
      name: 'installed-as',
      value: 'path',
      help: 'final name of the data file, if it is made under another name first',
    },
    { name: 'timeout', value: 'seconds', help: 'how long to ask the leader; 120 by default' },
    { name: 'development', value: undefined, help: 'accepted for compatibility' },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const count = input.flag('replica-count');
    // The content of a lost file must come from other replicas. A single replica has none: formatting it again would look like
    // recovery and lose everything.
    if (count === '1' || count === undefined) {
      throw new UsageError(
        'a cluster of one replica cannot recover a lost data file: restore it from a backup (ledger-engine restore)',
      );
    }
    const addresses = input.flag('addresses');
    if (addresses !== undefined) parseAddresses(addresses);
    const replicaCount = parseInteger('replica-count', count, 2, 6);
    const replica = required(input.flag('replica'), 'replica');
    const incarnation = parseIncarnation(input.flag('incarnation'));
    const identity = {
      clusterId: parseClusterId(required(input.flag('cluster'), 'cluster')),
      replicaIndex: parseInteger('replica', replica, 0, replicaCount - 1),
      replicaCount,
    };
    const folder = input.flag('member-folder');
    const file = input.flag('installed-as') ?? path;
    const hasFile = await isThere(file);
    const asks = input.flag('peer-addresses') !== undefined;
    const memberLost = asks && folder !== undefined && !(await hasMember(folder));
    if (hasFile && !memberLost) throw notLost(file);
    if (asks) await replaceMember(input, file, identity, incarnation);
    else await forgetMember(file);
    // The log holds the data file's content: the replica continues from there.
    if (hasFile) return 0;
    await formatDataFile({
      path,
      identity,
      release: engineRelease,
      place: placeWithoutState(incarnation, 'lost'),
      ...logOf(replicaCount),
    });
    process.stderr.write(
      `recovering ${path}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${replicaCount}\n`,
    );
    return 0;
  },
};

/** Replaces the member, and makes the data file last: without the file, nothing of this replica starts. */
async function replaceMember(
  input: Input,
  path: string,
  { clusterId, replicaIndex, replicaCount }: ReplicaIdentity,
  incarnation: number,
): Promise<void> {
  const addresses = parseAddresses(required(input.flag('peer-addresses'), 'peer-addresses'));
  if (addresses.length !== replicaCount) {
    throw new UsageError(
      `--peer-addresses has ${addresses.length} of ${replicaCount} entries; all replicas must be named`,
    );
  }
  const peerUrl = required(input.flag('member-url'), 'member-url');
  if (!isPeerUrl(peerUrl))
    throw new UsageError(`--member-url is "${peerUrl}"; it must look like https://10.0.0.5:2380`);
  const timeout = parseInteger('timeout', input.flag('timeout') ?? '120', 1, 86_400);
  const initialCluster = await askLeader({
    hello: { cluster: String(clusterId), incarnation, replica: replicaIndex },
    addresses,
    security: peerSecurity(input, addresses),
    peerUrl,
    timers: systemTimers,
    timeoutMs: timeout * 1000,
    onWaiting: (reason) => process.stderr.write(`waiting: ${reason}\n`),
  });
  const folder = input.flag('member-folder');
  // The folder holds a removed member's data; a member with it would end at its start.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  await forgetMember(path);
  await writeFile(initialClusterPath(path), `${initialCluster}\n`, { flush: true });
  process.stderr.write(`member replaced: initial-cluster=${initialCluster}\n`);
}

const notLost = (path: string): DataFileError =>
  new DataFileError(
    'already_exists',
    `${path} exists: this replica is not lost. To recover it anyway, move the file away first.`,
  );
