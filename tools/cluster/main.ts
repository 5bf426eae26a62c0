/**
 * The local Kubernetes at the command line:
 *   up [--provider auto|native|docker|kubeconfig] [--nodes N]   brings the cluster up, or completes it
 *   down · status
 *   halt                ends all processes and keeps the stored data, with which up continues
 *   load-image TAR …    loads docker-archives into the cluster that is up
 *   cut NODE … · plug NODE …   cuts a node off the network, and connects it again
 *   power-off NODE …    simulates a power failure of the node; up brings it back
 *   build [GROUP …]     builds the programs of the native cluster, or the named groups
 *   binary PROGRAM      prints the path of a program (kubectl, helm, kwok, versitygw …), and builds it if necessary
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dockerAnswers } from '../images/build.ts';
import { clusterGroups, ensureBuilt, ensureProgram, groups, type GroupName } from './binaries.ts';
import { ClusterError, Provider, readConfig, type ClusterConfig } from './config.ts';
import { docker } from './docker/provider.ts';
import { existing } from './existing/provider.ts';
import { withLock } from './lock.ts';
import { planOf } from './native/cluster.ts';
import { powerOff } from './native/down.ts';
import { setNodeLink } from './native/network.ts';
import type { NodePlan } from './native/plan.ts';
import { native } from './native/provider.ts';
import { step } from './progress.ts';
import { run } from './run.ts';
import type { ClusterProvider } from './provider.ts';
import { describe } from './status.ts';

type RealProvider = Exclude<Provider, 'auto'>;
const providers: Readonly<Record<RealProvider, ClusterProvider>> = {
  native,
  docker,
  kubeconfig: existing,
};

/** Record of the cluster that is up, so that later commands use the same one. */
interface Up {
  readonly provider: RealProvider;
  readonly nodes: number;
}

const upFile = (config: ClusterConfig) => join(config.stateFolder, 'cluster.json');

function whatIsUp(config: ClusterConfig): Up | undefined {
  return existsSync(upFile(config))
    ? (JSON.parse(readFileSync(upFile(config), 'utf8')) as Up)
    : undefined;
}

async function up(config: ClusterConfig): Promise<void> {
  const before = whatIsUp(config);
  const provider =
    config.provider === Provider.auto ? (before?.provider ?? (await choose())) : config.provider;
  if (before !== undefined && (before.provider !== provider || before.nodes !== config.nodes)) {
    throw new ClusterError(
      `a ${before.provider} cluster with ${before.nodes} node(s) is up; run make cluster-down before another`,
    );
  }
  // Written first, so that an interrupted start can be taken down.
  writeFileSync(upFile(config), JSON.stringify({ provider, nodes: config.nodes } satisfies Up));
  await providers[provider].up(config);
}

async function choose(): Promise<RealProvider> {
  const provider = (await dockerAnswers()) ? Provider.docker : Provider.native;
  step(`provider ${provider}`);
  return provider;
}

async function down(config: ClusterConfig): Promise<void> {
  const before = whatIsUp(config);
  // Without a record, pieces of a native cluster may still exist; the native provider finds them by name.
  await providers[before?.provider ?? Provider.native].down(config);
  rmSync(upFile(config), { force: true });
  step('nothing of it is left');
}

async function halt(config: ClusterConfig): Promise<void> {
  const before = whatIsUp(config);
  if (before === undefined) return down(config);
  await providers[before.provider].halt(config);
  step('nothing of it runs; its data stay');
}

/** Loads an image into the cluster that is up. */
export async function loadImage(
  config: ClusterConfig,
  reference: string,
  archive: string,
): Promise<void> {
  const before = whatIsUp(config);
  if (before === undefined) throw new ClusterError('no cluster is up; run: make cluster-up');
  await providers[before.provider].loadImage(
    { ...config, nodes: before.nodes },
    reference,
    archive,
  );
}

/** Name of the image in a docker-archive, as it was saved. */
async function referenceIn(archive: string): Promise<string> {
  const manifest = await run('tar', ['-xOf', archive, 'manifest.json']);
  const [image] = JSON.parse(manifest) as { RepoTags?: string[] }[];
  const reference = image?.RepoTags?.[0];
  if (reference === undefined) throw new ClusterError(`${archive} holds no image with a name`);
  return reference.replace(/^(docker\.io|localhost)\//, '');
}

const mishaps = {
  cut: (_config: ClusterConfig, node: NodePlan) => setNodeLink(node, false),
  plug: (_config: ClusterConfig, node: NodePlan) => setNodeLink(node, true),
  'power-off': powerOff,
} as const;

/** Simulates a failure of a node. */
async function befall(
  config: ClusterConfig,
  what: keyof typeof mishaps,
  name: string,
): Promise<void> {
  const before = whatIsUp(config);
  if (before?.provider !== Provider.native) {
    throw new ClusterError(`${what} is for nodes of a native cluster, and none is up`);
  }
  const { nodes } = await planOf({ ...config, nodes: before.nodes });
  const node = nodes.find((candidate) => candidate.name === name);
  if (node === undefined) {
    throw new ClusterError(`no node ${name}; there are ${nodes.map((n) => n.name).join(', ')}`);
  }
  await mishaps[what](config, node);
  step(`${name}: ${what} done`);
}

function groupOf(name: string): GroupName {
  if (!(name in groups)) {
    throw new ClusterError(`no group ${name}; there are ${Object.keys(groups).join(', ')}`);
  }
  return name as GroupName;
}

const usage =
  'usage: main.ts up|down|halt|status|load-image TAR …|cut NODE|plug NODE|power-off NODE|build [GROUP …]|binary PROGRAM [--provider P] [--nodes N]';

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { provider: { type: 'string' }, nodes: { type: 'string' } },
  });
  const [command = '', ...names] = positionals;
  const config = readConfig(values);
  const lock = join(config.stateFolder, 'cluster.lock');
  switch (command) {
    case 'up':
      return withLock(lock, () => up(config));
    case 'down':
      return withLock(lock, () => down(config));
    case 'halt':
      return withLock(lock, () => halt(config));
    case 'status':
      return describe(config, whatIsUp(config));
    case 'load-image':
      for (const archive of names) await loadImage(config, await referenceIn(archive), archive);
      return;
    case 'cut':
    case 'plug':
    case 'power-off':
      for (const name of names) await befall(config, command, name);
      return;
    case 'build':
      for (const group of names.length > 0 ? names.map(groupOf) : clusterGroups) {
        await ensureBuilt(group);
      }
      return;
    case 'binary':
      console.log(await ensureProgram(names[0] ?? ''));
      return;
    default:
      throw new ClusterError(usage);
  }
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(`cluster: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
