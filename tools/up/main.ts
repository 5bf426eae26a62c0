/**
 * The whole service on this machine:
 *   up        starts everything, or whatever is missing
 *   down      ends everything and keeps the stored data, with which up continues; --data removes the data too
 *   env       prints the environment variables for a shell
 *   status    prints what is running
 *   logs      follows the logs of operator and API
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureProgram } from '../cluster/binaries.ts';
import { ClusterError, readConfig, type ClusterConfig } from '../cluster/config.ts';
import { withLock } from '../cluster/lock.ts';
import { addressOf } from './address.ts';
import { makeApiKey } from './api-key.ts';
import { forgetForward, forwardOf, startForward, stopForward } from './forward.ts';
import { installCharts } from './charts.ts';
import { readCredentials, credentialsFile } from './credentials.ts';
import { makeDemo } from './demo.ts';
import { follow, Kubectl } from './kubectl.ts';
import { ended, forwardStatus, ready } from './messages.ts';
import { StepFailed, Steps } from './steps.ts';
import { loadImages } from './images.ts';
import { endWhenInterrupted } from './to-its-end.ts';
import { runTool } from './tool.ts';

async function up(config: ClusterConfig): Promise<void> {
  const steps = new Steps(join(config.stateFolder, 'up.log'));
  await steps.run('Kubernetes', (log) => runTool(['tools/cluster/main.ts', 'up'], log));
  const images = await steps.run('images', (log) => loadImages(log));
  const kubectl = await Kubectl.of(config);
  const baseUrl = await addressOf(kubectl);
  const { hostname: host, port } = new URL(baseUrl);
  const { stateFolder } = config;
  const webUrl = await steps.run('address for browsers', () =>
    startForward({ stateFolder, target: { host, port: Number(port) } }),
  );
  await steps.run('charts', (log) => installCharts(config, { kubectl, images, webUrl, log }));
  await steps.run('API', (log) => kubectl.waitForApi(baseUrl, log));
  const bootstrapToken = await kubectl.secret('ledgerhouse-bootstrap-token', 'token');
  const credentials = await steps.run('API key', () =>
    makeApiKey({ baseUrl, bootstrapToken, file: credentialsFile(config) }),
  );
  const demo = await steps.run('database demo', (log, progress) =>
    makeDemo(credentials, { log, progress }),
  );
  console.log(ready({ baseUrl, webUrl, bootstrapToken, config, demo }));
}

async function down(config: ClusterConfig, options: { readonly data: boolean }): Promise<void> {
  const steps = new Steps(join(config.stateFolder, 'down.log'));
  const verb = options.data ? 'down' : 'halt';
  await stopForward(config.stateFolder);
  await steps.run('Kubernetes', (log) => runTool(['tools/cluster/main.ts', verb], log));
  if (options.data) {
    rmSync(credentialsFile(config), { force: true });
    forgetForward(config.stateFolder);
  }
  console.log(ended(options));
}

async function env(config: ClusterConfig): Promise<void> {
  const { baseUrl, apiKey } = readCredentials(config);
  const forward = forwardOf(config.stateFolder);
  const variables = {
    LEDGERHOUSE_BASE_URL: baseUrl,
    ...(forward !== undefined && { LEDGERHOUSE_WEB_URL: forward.url }),
    LEDGERHOUSE_API_KEY: apiKey,
    KUBECONFIG: config.kubeconfig,
  };
  for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
  // At the end of PATH, so that the machine's own kubectl is preferred.
  console.log(`export PATH="$PATH:${dirname(await ensureProgram('kubectl'))}"`);
}

async function main([command, ...flags]: readonly string[]): Promise<void> {
  const config = readConfig();
  const alone = (work: () => Promise<void>) => withLock(join(config.stateFolder, 'up.lock'), work);
  if (command === 'up') return alone(() => up(config));
  if (command === 'down') return alone(() => down(config, { data: flags.includes('--data') }));
  if (command !== 'env' && command !== 'status' && command !== 'logs') {
    throw new ClusterError('usage: main.ts up|down [--data]|env|status|logs');
  }
  if (!existsSync(config.kubeconfig)) throw new ClusterError('nothing is up; run make up');
  if (command === 'env') return env(config);
  const kubectl = await Kubectl.of(config);
  await kubectl.expectService();
  if (command === 'logs') await follow(kubectl);
  else console.log(`${await kubectl.overview()}\n${forwardStatus(forwardOf(config.stateFolder))}`);
}

const [command = ''] = process.argv.slice(2);
if (command === 'up' || command === 'down') endWhenInterrupted(`make ${command} goes on from here`);
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StepFailed)) {
    const known = error instanceof ClusterError;
    console.error(known ? error.message : error);
  }
  process.exitCode = 1;
}
