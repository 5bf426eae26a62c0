import { readFile, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseIncarnation, parseSize, required } from '../commands/values.ts';
import { UsageError, type Input, type Verb } from '../commands/verb.ts';
import { initialClusterPath } from '../members/files.ts';
import { examineCertificates, wantedCertificates } from './certificates.ts';
import { examine, type Finding } from './examine.ts';
import { identityFlags, pathFlag, readIdentity } from './identity.ts';
import { examineMember } from './member-state.ts';
import { memberConfig } from './member-config.ts';
import { reportingFinding, terminationFlag } from './termination.ts';

export const etcdConfig: Verb = {
  name: 'etcd-config',
  summary: 'Write the configuration of the etcd member beside one of several replicas.',
  arguments: [],
  flags: [
    pathFlag,
    ...identityFlags,
    { name: 'incarnation', value: 'count', help: 'as for start; 1 by default' },
    { name: 'etcd-folder', value: 'folder', help: 'where the member keeps its data' },
    { name: 'peers', value: 'list', help: "URLs of all replicas' members, in order" },
    { name: 'listen', value: 'url', help: 'where the member serves the others' },
    { name: 'health', value: 'url', help: 'where it serves /livez and /metrics' },
    { name: 'socket', value: 'file', help: 'where it serves the replica beside it' },
    { name: 'certificates', value: 'folder', help: 'with ca.crt, tls.crt and tls.key' },
    { name: 'common-name', value: 'name', help: "the one that all members' certificates have" },
    { name: 'memory', value: 'size', help: 'how much the member may take' },
    { name: 'output', value: 'file', help: 'where to write the configuration' },
    terminationFlag,
  ],
  run: (input) => reportingFinding(input, () => writeConfig(input)),
};

async function writeConfig(input: Input): Promise<Finding | undefined> {
  const given = (name: string) => required(input.flag(name), name);
  const path = given('path');
  const folder = given('etcd-folder');
  const identity = readIdentity(input);
  const peers = given('peers').split(',');
  if (peers.length !== identity.replicaCount) {
    throw new UsageError(
      `--peers has ${peers.length} of ${identity.replicaCount} entries; all replicas' members must be named`,
    );
  }
  const problem = await examine(path, { ...identity, engine: 'Builtin' });
  if (problem !== undefined) return problem;
  const foreign = await examineCertificates(given('certificates'), wantedCertificates());
  if (foreign !== undefined) return foreign;
  const state = await examineMember(path, folder);
  if (state !== 'new' && state !== 'existing') return state;
  const { blocks, bsize } = await statfs(dirname(path));
  const config = memberConfig({
    ...identity,
    incarnation: parseIncarnation(input.flag('incarnation')),
    state,
    ...(await joined(path)),
    folder,
    peers,
    listen: given('listen'),
    health: given('health'),
    socket: given('socket'),
    certificates: { folder: given('certificates'), commonName: given('common-name') },
    memoryBytes: parseSize('memory', given('memory')),
    volumeBytes: blocks * bsize,
  });
  await writeFile(given('output'), `${JSON.stringify(config, undefined, 2)}\n`);
  return undefined;
}

/** The cluster that the leader told this member to join. etcd ignores the setting while the member has data. */
async function joined(path: string): Promise<{ initialCluster?: string }> {
  try {
    return { initialCluster: (await readFile(initialClusterPath(path), 'utf8')).trim() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
