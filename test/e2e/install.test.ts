/**
 * Follows docs/operating/install.md from an empty cluster to a first database over HTTPS. The commands and values are those of the page
 * and of its example; only what belongs to one's own cluster is put in: images, storage classes, nodes, the certificate.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { openTab, startChromium } from '../support/browser/chromium.ts';
import { checkout, startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import { figure, systemNamespace } from '../support/cluster/installation.ts';
import { Ingress } from '../support/cluster/ingress.ts';
import { commandsOf, valuesOf } from '../support/manual.ts';
import { mustRun } from '../support/shell.ts';

jest.setTimeout(25 * 60_000);

const page = 'operating/install.md';
const overHttps = 'The HTTP API over HTTPS';
const host = 'ledger.example.com';
/** Of the loopback, so that the port is free. */
const address = '127.77.15.1';
const images = ['operator', 'engine', 'api', 'postgres'] as const;

const started = Date.now();
let cluster: TestCluster;
let ingress: Ingress | undefined;
/** Folder of the person who installs: the charts and examples of the checkout, and files of their own. */
let folder: string;
let references: Record<(typeof images)[number], string>;

beforeAll(async () => {
  cluster = await startTestCluster();
  folder = join(cluster.stateFolder, 'installing');
  mkdirSync(folder);
  for (const name of ['charts', 'docs']) symlinkSync(join(checkout, name), join(folder, name));
  writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost\n${address} ${host}\n`);
  references = await cluster.images(...images);
  figure('an empty cluster, and the images', started);
});
afterAll(async () => {
  await ingress?.stop();
  await cluster?.down();
});

/**
 * Runs a block of commands of the page to its end, where the host's name leads to the ingress. `onText` gets all that it has said so
 * far; when what that begins fails, so do the commands.
 */
async function follow(
  commands: string,
  onText: (said: string) => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const failed = new AbortController();
  const helm = (await cluster.cluster('binary', 'helm')).trim().split('\n').at(-1) ?? '';
  const tools = [dirname(await cluster.kubectlPath()), dirname(helm), join(checkout, 'bin')];
  const script = `mount --bind ${join(folder, 'hosts')} /etc/hosts\nset -eo pipefail\n${commands}`;
  const child = spawn('unshare', ['--mount', 'bash', '-c', script], {
    cwd: folder,
    env: {
      PATH: [...tools, process.env['PATH']].join(':'),
      HOME: folder,
      KUBECONFIG: cluster.kubeconfig,
      NODE_EXTRA_CA_CERTS: join(folder, 'tls.crt'),
      CURL_CA_BUNDLE: join(folder, 'tls.crt'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: failed.signal,
    timeout: 15 * 60_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      said += piece.toString();
      onText(said)?.catch((error: unknown) => failed.abort(error));
    });
  }
  const code = await new Promise((resolve) => {
    child.on('error', () => {}).on('close', resolve);
  });
  if (code === 0) return said;
  const cause: unknown = failed.signal.reason;
  throw new Error(`${commands}\nended with ${String(code)}:\n${said}`, { cause });
}

const write = (name: string, values: unknown) =>
  writeFileSync(join(folder, name), stringify(values));

/** The image that was built, in place of that of a registry of one's own. */
const ownImage = (name: (typeof images)[number]) => {
  const [repository, tag] = references[name].split(':');
  return { repository, tag };
};

interface ExampleValues {
  readonly catalog: {
    readonly defaults: object;
    readonly providers: readonly {
      readonly regions: readonly { readonly nodeSelector: Readonly<Record<string, string>> }[];
    }[];
    readonly storageTiers: readonly { readonly id: string; readonly className: string }[];
  };
}

test('both charts are installed with the values of the example, and make a database', async () => {
  const text = readFileSync(join(checkout, 'docs/examples/values.yaml'), 'utf8');
  const { catalog, ...others } = parse(text) as ExampleValues;
  const classes: Record<string, string> = {
    'network-ssd': 'ledgerhouse-network',
    'local-nvme': 'ledgerhouse-local',
  };
  const tiers = catalog.storageTiers.map((tier) => ({
    ...tier,
    className: classes[tier.id],
    minGb: 1,
    stepGb: 1,
  }));
  const label = 'topology.kubernetes.io/region';
  const own = await cluster.kubectl(
    'get',
    'nodes',
    '-o',
    `jsonpath={..labels.${label.replaceAll('.', '\\.')}}`,
  );
  const providers = catalog.providers.map((provider) => ({
    ...provider,
    regions: provider.regions.map((region) => {
      expect(Object.keys(region.nodeSelector)).toEqual([label]);
      return { ...region, nodeSelector: { [label]: own } };
    }),
  }));
  // A machine of one's own: small volumes.
  const defaults = { ...catalog.defaults, size: 'lh-5', storageGb: 1 };
  write('values.yaml', {
    ...others,
    images: { operator: ownImage('operator'), engine: ownImage('engine') },
    imagePullSecrets: [],
    catalog: { ...catalog, defaults, providers, storageTiers: tiers },
  });
  const [commands = ''] = commandsOf(page, 'Both charts');
  const began = Date.now();
  const said = await cluster.reporting(() => follow(commands));
  figure('both charts, and a database of their check', began);
  expect(said).toMatch(/default +True/);
  expect(said).toMatch(/Phase: +Succeeded/);
});

test('the first database by kubectl is ready', async () => {
  const [commands = ''] = commandsOf(page, 'A first database');
  const said = await cluster.reporting(() => follow(commands));
  expect(said).toContain('ledgerdatabase.ledgerhouse.dev/example condition met');
});

test('the API answers over HTTPS, and a person who signs in with a browser makes a database', async () => {
  const own = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt'), '-nodes'];
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', '2'];
  await mustRun('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...own, ...name]);
  const [values] = valuesOf(page, overHttps);
  const { images: _, ...others } = parse(values ?? '') as { images: object };
  write('api.yaml', {
    ...others,
    images: { api: ownImage('api'), postgres: ownImage('postgres') },
  });
  const [secret = '', switchOn = '', first = ''] = commandsOf(page, overHttps);
  await follow(secret);
  const [upgrade = '', ...ask] = switchOn.split(/^(?=curl )/m);
  const began = Date.now();
  await cluster.reporting(() => follow(upgrade));
  figure('the API is switched on', began);
  ingress = await Ingress.start(cluster, {
    namespace: systemNamespace,
    className: 'nginx',
    host,
    address,
  });
  expect(await follow(ask.join(''))).toMatch(/"status":"(OK|DEGRADED)"/);

  const browser = await startChromium([`--host-resolver-rules=MAP ${host} ${address}`]);
  try {
    let approval: Promise<void> | undefined;
    const approve = async (said: string, url: string) => {
      const tab = await openTab(browser, { origins: [`https://${host}`], ownAuthority: true });
      await tab.page.goto(url);
      await tab.page.getByLabel('Bootstrap token').fill(said.split(/\s/)[0] ?? '');
      await tab.page.getByRole('button', { name: 'Sign in' }).click();
      await tab.page.getByRole('button', { name: 'Approve' }).click();
      await tab.page.getByRole('heading', { name: 'The device was approved' }).waitFor();
      expect(tab.takeTroubles()).toEqual([]);
    };
    const said = await cluster.reporting(() =>
      follow(first, (text) => {
        const [url] = /https:\S+user_code=\S+(?=\s)/.exec(text) ?? [];
        if (url === undefined || approval !== undefined) return undefined;
        approval = approve(text, url);
        return approval;
      }),
    );
    await approval;
    expect(approval).toBeDefined();
    expect(said).toMatch(/^db_\S+ +first +READY/m);
  } finally {
    await browser.close();
  }
  figure('from an empty cluster to a first database over HTTPS', started);
});

test('an official client reaches it from outside, through the Ingress, with the rights of the person who signed in', async () => {
  const client = join(checkout, 'node_modules/tigerbeetle-node');
  const program = `
    const { createClient } = require(${JSON.stringify(client)});
    const client = createClient({
      cluster_id: BigInt(process.env.TB_CLUSTER_ID),
      replica_addresses: process.env.TB_ADDRESS.split(','),
    });
    client.lookupAccounts([1n])
      .then((found) => console.log('found', found.length))
      .finally(() => client.destroy());`;
  writeFileSync(join(folder, 'program.cjs'), program);
  const began = Date.now();
  expect(
    await follow(
      `LEDGERHOUSE_BASE_URL=https://${host} ledgerhouse connect first --exec -- node program.cjs`,
    ),
  ).toContain('found 0');
  figure('a client through the tunnel', began);
});
