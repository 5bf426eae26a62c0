/** A cluster for the end-to-end tests, and what they do with it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kube } from '../../../base/kube/kube.ts';
import { clusterNotes } from '../../../tools/test/left-clusters.ts';
import { checkout, mustRun, shell, type Ended } from '../shell.ts';
import { Reader } from './reader.ts';

/** Kubernetes' programs collect their garbage half as often as by default: memory is cheaper here than their processor time. */
export const goEnvironment = { GOGC: '200' };

export interface TestCluster {
  readonly stateFolder: string;
  readonly kubeconfig: string;
  /** Path of kubectl, for tests that talk to it while it runs. */
  kubectlPath(): Promise<string>;
  /** Runs kubectl; its output, or an error with what it said. */
  kubectl(...args: string[]): Promise<string>;
  tryKubectl(...args: string[]): Promise<Ended>;
  /** Reads for waits: each kubectl is a process, and takes twenty times as much of a processor. */
  readonly read: Kube['read'];
  readonly list: Kube['list'];
  /** Runs `deed`. If it fails, writes to the run's log what a person would look at first. */
  reporting<T>(deed: () => Promise<T>): Promise<T>;
  apply(objects: readonly unknown[]): Promise<void>;
  /** No pod begins on the node while something is done. */
  cordoned<T>(node: string, deed: () => Promise<T>): Promise<T>;
  cluster(...args: string[]): Promise<string>;
  /** Loads an image into it and gives its reference. */
  image(name: string): Promise<string>;
  /** Several at once, whose sources are then compiled once; their references by name. */
  images<Name extends string>(...names: readonly Name[]): Promise<Record<Name, string>>;
  down(): Promise<void>;
}

/** A cluster of the test's own, with a state folder of its own: it does not disturb one that is up. */
export async function startTestCluster(options: { nodes?: number } = {}): Promise<TestCluster> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'ledgerhouse-e2e-'));
  const cluster = openTestCluster(stateFolder, { NODES: String(options.nodes ?? 1) });
  try {
    await cluster.cluster('up');
  } catch (error) {
    await cluster.down();
    throw error;
  }
  return cluster;
}

/** The cluster of a state folder, whoever brings it up. */
export function openTestCluster(
  stateFolder: string,
  environment: Readonly<Record<string, string>>,
): TestCluster {
  const env = { ...environment, ...goEnvironment, LEDGERHOUSE_STATE_DIR: stateFolder };
  clusterNotes.add(stateFolder);
  const kubeconfig = join(stateFolder, 'kubeconfig');
  const cluster = (...args: string[]) =>
    mustRun(process.execPath, ['tools/cluster/main.ts', ...args], { env, timeoutMs: 25 * 60_000 });
  let path: Promise<string> | undefined;
  const kubectlPath = () => {
    path ??= cluster('binary', 'kubectl').then((said) => said.trim().split('\n').at(-1) ?? '');
    return path;
  };
  const kubectl = async (...args: readonly string[]) => {
    const program = await kubectlPath();
    return mustRun(program, ['--kubeconfig', kubeconfig, ...args], { env });
  };
  const tryKubectl = async (...args: readonly string[]) =>
    shell(await kubectlPath(), ['--kubeconfig', kubeconfig, ...args], { env });
  const reader = new Reader(kubeconfig);
  return {
    read: (reference) => reader.kube.read(reference),
    list: (resource, listOptions) => reader.kube.list(resource, listOptions),
    stateFolder,
    kubeconfig,
    cluster,
    async down() {
      await reader.close();
      await cluster('down');
      rmSync(stateFolder, { recursive: true, force: true });
      clusterNotes.remove(stateFolder);
    },
    kubectlPath,
    tryKubectl,
    kubectl,
    async reporting(deed) {
      try {
        return await deed();
      } catch (error) {
        const say = async (...args: readonly string[]) => {
          const { stdout, stderr } = await tryKubectl(...args);
          process.stderr.write(`report: kubectl ${args.join(' ')}\n${stdout}${stderr}\n`);
          return stdout;
        };
        await say('get', 'nodes,pods,pvc,jobs', '-A', '-o', 'wide');
        await say('get', 'ldb', '-A', '-o', 'yaml');
        await say('get', 'events', '-A', '--sort-by=.metadata.creationTimestamp');
        for (const line of (await say('get', 'pods', '-A', '--no-headers')).split('\n')) {
          const [namespace = '', name = '', ready = ''] = line.split(/\s+/);
          const [is, all] = ready.split('/');
          if (name === '' || (is === all && !name.includes('operator'))) continue;
          await say('-n', namespace, 'logs', name, '--all-containers', '--prefix', '--tail=50');
        }
        throw error;
      }
    },
    async cordoned(node, deed) {
      await kubectl('cordon', node);
      try {
        return await deed();
      } finally {
        await kubectl('uncordon', node);
      }
    },
    async apply(objects) {
      const LIST = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      const script = 'printf %s "$LIST" | "$0" --kubeconfig "$1" apply -f -';
      await mustRun('sh', ['-c', script, await kubectlPath(), kubeconfig], { env: { LIST } });
    },
    images: (...names) => loadImages(names, env),
    image: async (name) => (await loadImages([name], env))[name] ?? '',
  };
}

async function loadImages<Name extends string>(
  names: readonly Name[],
  env: Record<string, string>,
): Promise<Record<Name, string>> {
  const said = await mustRun(process.execPath, ['tools/images/main.ts', 'load', ...names], {
    env,
    timeoutMs: 25 * 60_000,
  });
  const references = said.split('\n').filter((line) => /^ledgerhouse\/[a-z0-9-]+:/.test(line));
  return Object.fromEntries(names.map((name, index) => [name, references[index] ?? ''])) as Record<
    Name,
    string
  >;
}

/** The id by which a cluster's pieces are named on the machine (see tools/cluster/config.ts). */
export const clusterId = (stateFolder: string) =>
  createHash('sha256').update(stateFolder).digest('hex').slice(0, 6);

export { checkout };
