/** A cluster for the end-to-end tests, and what they do with it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout, mustRun, shell, type Ended } from './shell.ts';

export interface TestCluster {
  readonly stateFolder: string;
  readonly kubeconfig: string;
  /** Runs kubectl; its output, or an error with what it said. */
  kubectl(...args: string[]): Promise<string>;
  tryKubectl(...args: string[]): Promise<Ended>;
  apply(objects: readonly unknown[]): Promise<void>;
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
  const env = { LEDGERHOUSE_STATE_DIR: stateFolder, NODES: String(options.nodes ?? 1) };
  const kubeconfig = join(stateFolder, 'kubeconfig');
  const cluster = (...args: string[]) =>
    mustRun(process.execPath, ['tools/cluster/main.ts', ...args], { env, timeoutMs: 25 * 60_000 });
  const down = async () => {
    await cluster('down');
    rmSync(stateFolder, { recursive: true, force: true });
  };
  try {
    await cluster('up');
  } catch (error) {
    await down();
    throw error;
  }
  const kubectlPath = (await cluster('binary', 'kubectl')).trim().split('\n').at(-1) ?? 'kubectl';
  const tryKubectl = (...args: string[]) =>
    shell(kubectlPath, ['--kubeconfig', kubeconfig, ...args], { env });
  const kubectl = (...args: string[]) =>
    mustRun(kubectlPath, ['--kubeconfig', kubeconfig, ...args], { env });
  return {
    stateFolder,
    kubeconfig,
    cluster,
    down,
    tryKubectl,
    kubectl,
    async apply(objects) {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      await mustRun(
        'sh',
        ['-c', 'printf %s "$LIST" | "$0" --kubeconfig "$1" apply -f -', kubectlPath, kubeconfig],
        {
          env: { LIST: list },
        },
      );
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
    timeoutMs: 10 * 60_000,
  });
  const references = said.split('\n').filter((line) => /^ledgerhouse\/[a-z-]+:/.test(line));
  return Object.fromEntries(names.map((name, index) => [name, references[index] ?? ''])) as Record<
    Name,
    string
  >;
}

/** The id by which a cluster's pieces are named on the machine (see tools/cluster/config.ts). */
export const clusterId = (stateFolder: string) =>
  createHash('sha256').update(stateFolder).digest('hex').slice(0, 6);

export { checkout };
