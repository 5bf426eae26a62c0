/**
 * k3s in a container, for machines with a Docker engine. The container outlives the command and is found again by its name, also
 * after an interrupted start. It has one node; for several nodes there is the native provider.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { GenericContainer, Wait } from 'testcontainers';
import { ClusterError, type ClusterConfig } from '../config.ts';
import type { ClusterProvider } from '../provider.ts';
import { step } from '../progress.ts';
import { run, runQuietly, waitFor } from '../run.ts';

/** k3s's build of the native provider's Kubernetes version. */
const image = 'rancher/k3s:v1.35.4-k3s1';
const apiPort = 6443;

const containerName = (config: ClusterConfig) => `ledgerhouse-${config.id}`;

export const docker: ClusterProvider = {
  async up(config) {
    if (config.nodes > 1) {
      throw new ClusterError(
        'the docker provider has one node; use LEDGERHOUSE_CLUSTER=native for NODES=2 or 3',
      );
    }
    const state = await stateOf(config);
    if (state === 'running') return;
    const known = [config.kubeconfig, haltedKubeconfig(config)].find((path) => existsSync(path));
    if (state === 'exited' && known !== undefined) return restart(config, known);
    // Removes a container whose start was interrupted.
    await runQuietly('docker', ['rm', '--force', '--volumes', containerName(config)]);
    step(`starting ${image}`);
    // Without the reaper, the cluster stays when this command ends.
    process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
    const container = await new GenericContainer(image)
      .withName(containerName(config))
      .withCommand([
        'server',
        '--disable=traefik',
        '--disable=metrics-server',
        '--tls-san=127.0.0.1',
      ])
      .withPrivilegedMode()
      .withTmpFs({ '/run': '', '/var/run': '' })
      .withExposedPorts(apiPort)
      .withAutoRemove(false)
      .withStartupTimeout(180_000)
      .withWaitStrategy(Wait.forLogMessage('Node controller sync successful'))
      .start();
    const { output } = await container.exec(['cat', '/etc/rancher/k3s/k3s.yaml']);
    const server = `https://${container.getHost()}:${container.getMappedPort(apiPort)}`;
    writeFileSync(config.kubeconfig, output.replace(/https:\/\/127\.0\.0\.1:\d+/, server), {
      mode: 0o600,
    });
    await ensureStorageClasses(config);
    step(`k3s ready at ${server}`);
  },

  async down(config) {
    await runQuietly('docker', ['rm', '--force', '--volumes', containerName(config)]);
    for (const path of [config.kubeconfig, haltedKubeconfig(config)]) rmSync(path, { force: true });
  },

  async halt(config) {
    if ((await stateOf(config)) === 'running') {
      await run('docker', ['stop', containerName(config)], { timeoutMs: 120_000 });
    }
    if (existsSync(config.kubeconfig)) renameSync(config.kubeconfig, haltedKubeconfig(config));
  },

  async loadImage(config, reference, archive) {
    const id = containerName(config);
    const listed = await run('docker', ['exec', id, 'ctr', '-n', 'k8s.io', 'images', 'list', '-q']);
    if (listed.split('\n').includes(`docker.io/${reference}`)) return;
    const inside = `/tmp/${basename(archive)}`;
    await run('docker', ['cp', archive, `${id}:${inside}`], { timeoutMs: 300_000 });
    await run('docker', ['exec', id, 'ctr', '-n', 'k8s.io', 'images', 'import', inside], {
      timeoutMs: 300_000,
    });
    await run('docker', ['exec', id, 'rm', inside]);
    step(`loaded ${reference}`);
  },
};

/** State of the container, such as `running` or `exited`; empty if there is none. */
async function stateOf(config: ClusterConfig): Promise<string> {
  const how = ['inspect', '--format', '{{.State.Status}}', containerName(config)];
  return (await runQuietly('docker', how)).trim();
}

const haltedKubeconfig = (config: ClusterConfig) => `${config.kubeconfig}.halted`;

/** Starts a halted container with its stored data. Its port on the machine changes with each start. */
async function restart(config: ClusterConfig, kubeconfig: string): Promise<void> {
  const id = containerName(config);
  await run('docker', ['start', id]);
  await waitFor(
    'k3s',
    () => run('docker', ['exec', id, 'kubectl', 'get', '--raw', '/readyz'], { timeoutMs: 5_000 }),
    { timeoutMs: 180_000 },
  );
  const [, port] = /:(\d+)\s/.exec(await run('docker', ['port', id, `${apiPort}/tcp`])) ?? [];
  const before = readFileSync(kubeconfig, 'utf8');
  writeFileSync(config.kubeconfig, before.replace(/(https:\/\/[^:\s]+):\d+/, `$1:${port}`), {
    mode: 0o600,
  });
  rmSync(haltedKubeconfig(config), { force: true });
  step('k3s ready again');
}

/** k3s has one storage class, of its local-path provisioner, whose volumes cannot grow. Both of our classes are names for it. */
async function ensureStorageClasses(config: ClusterConfig): Promise<void> {
  const classes = ['ledgerhouse-network', 'ledgerhouse-local'].map(
    (name) => `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: ${name} }
provisioner: rancher.io/local-path
reclaimPolicy: Delete
volumeBindingMode: WaitForFirstConsumer
`,
  );
  await run('docker', ['exec', '-i', containerName(config), 'kubectl', 'apply', '-f', '-'], {
    input: classes.join('---\n'),
  });
}
