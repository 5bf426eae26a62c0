/**
 * The whole service on this machine:
 *   up        everything, or what is missing of it
 *   down      takes it away; the records stay unless DATA=1
 *   env       prints what a shell needs to use it
 *   status    what runs
 *   logs      what operator and API say, as it comes
 */
import { existsSync, rmSync } from 'node:fs';
import { ClusterError, readConfig, type ClusterConfig } from '../cluster/config.ts';
import { withLock } from '../cluster/lock.ts';
import { join } from 'node:path';
import { addressOf } from './address.ts';
import { installCharts } from './charts.ts';
import { readCredentials, credentialsFile } from './credentials.ts';
import { makeDemo } from './demo.ts';
import { openOrganization } from './organization.ts';
import { follow, Kubectl } from './kubectl.ts';
import { ready } from './messages.ts';
import { StepFailed, Steps } from './steps.ts';
import { loadImages } from './images.ts';
import { runTool } from './tool.ts';

async function up(config: ClusterConfig): Promise<void> {
  const steps = new Steps(join(config.stateFolder, 'up.log'));
  await steps.run('Kubernetes', (log) => runTool(['tools/cluster/main.ts', 'up'], log));
  const images = await steps.run('images', (log) => loadImages(log));
  const kubectl = await Kubectl.of(config);
  const baseUrl = await addressOf(kubectl);
  await steps.run('charts', (log) => installCharts(config, { images, baseUrl, log }));
  await steps.run('API', (log) => kubectl.waitForApi(baseUrl, log));
  const credentials = await steps.run('organization and API key', () =>
    openOrganization({ baseUrl, kubectl, file: credentialsFile(config) }),
  );
  const demo = await steps.run('database demo', (log, progress) =>
    makeDemo(credentials, { log, progress }),
  );
  console.log(ready({ baseUrl, config, demo }));
}

async function down(config: ClusterConfig): Promise<void> {
  const steps = new Steps(join(config.stateFolder, 'down.log'));
  await steps.run('Kubernetes', (log) => runTool(['tools/cluster/main.ts', 'down'], log));
  rmSync(credentialsFile(config), { force: true });
}

function env(config: ClusterConfig): void {
  const { baseUrl, apiKey } = readCredentials(config);
  console.log(`export LEDGERHOUSE_BASE_URL=${baseUrl}`);
  console.log(`export LEDGERHOUSE_API_KEY=${apiKey}`);
  console.log(`export KUBECONFIG=${config.kubeconfig}`);
}

async function main([command]: readonly string[]): Promise<void> {
  const config = readConfig();
  const isUp = existsSync(config.kubeconfig);
  if (command === 'up') {
    await withLock(join(config.stateFolder, 'up.lock'), () => up(config));
  } else if (command === 'down') {
    await withLock(join(config.stateFolder, 'up.lock'), () => down(config));
  } else if (command === 'env') env(config);
  else if (command === 'status' || command === 'logs') {
    if (!isUp) throw new ClusterError('nothing is up; run make up');
    const kubectl = await Kubectl.of(config);
    if (command === 'logs') await follow(kubectl);
    else console.log(await kubectl.overview());
  } else throw new ClusterError('usage: main.ts up|down|env|status|logs');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StepFailed)) {
    const known = error instanceof ClusterError;
    console.error(known ? error.message : error);
  }
  process.exitCode = 1;
}
