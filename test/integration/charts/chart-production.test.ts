/** The chart's values of a production installation, tried with the API and a real API server. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type Config } from '../../../api/config.ts';
import { findObject, startChart, type Chart, type Rendered } from '../../support/charts/chart.ts';

const host = 'ledger.example.org';
const publicUrl = `https://${host}`;

let chart: Chart;
beforeAll(async () => {
  chart = await startChart();
  writeFileSync(join(chart.folder, 'signing-key'), 'k'.repeat(48));
});
afterAll(() => chart?.stop());

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

/** The API's configuration, as it reads what the chart puts into its environment. */
async function configOf(api: object): Promise<Config> {
  const objects = await chart.rendered({ api: { enabled: true, ...api } });
  const { spec } = findObject<Workload>(objects, 'Deployment', 'ledgerhouse-api');
  const environment = (spec.template.spec.containers[0]?.env ?? []).map(
    ({ name, value = 'x' }) => [name, value] as const,
  );
  return readConfig({
    ...Object.fromEntries(environment),
    LEDGERHOUSE_API_DATABASE_URL: 'postgres://db/ledgerhouse',
    LEDGERHOUSE_API_SIGNING_KEY_FILE: join(chart.folder, 'signing-key'),
  });
}

test('proxies, limits, quotas, addresses and pool sizes come to the API', async () => {
  const servers = { development: 'https://dev.example.org', staging: '', production: publicUrl };
  const config = await configOf({
    publicUrl,
    servers,
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    limits: {
      controlPerMinute: 1_200_000,
      ledgerPerSecond: 7,
      ledgerMebibytesPerSecond: 9,
      ledgerEventsPerSecond: 10_000,
      wrongCredentialsPerMinute: 8,
    },
    databasesMax: 9,
    postgres: { connections: 33 },
  });
  expect(config).toMatchObject({
    publicUrl,
    servers,
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    limits: {
      controlPerMinute: 1_200_000,
      ledgerPerSecond: 7,
      ledgerBytesPerSecond: 9 * 1024 * 1024,
      ledgerEventsPerSecond: 10_000,
      wrongCredentialsPerMinute: 8,
    },
    databasesMax: 9,
    databaseConnections: 33,
  });
});

test("an installation that says nothing publishes nobody's address", async () => {
  const { servers } = await configOf({});
  expect(JSON.stringify(servers)).not.toContain('example');
  expect(servers).toMatchObject({ development: '', staging: '', production: '' });
});

test('an Ingress with TLS leads to the API, and cert-manager is asked by its annotation', async () => {
  const annotations = { 'cert-manager.io/cluster-issuer': 'letsencrypt' };
  const ingress = { enabled: true, className: 'nginx', host, annotations, tlsSecret: 'ledger-tls' };
  const objects = await chart.rendered({ api: { enabled: true, ingress } });
  const found = findObject(objects, 'Ingress');
  expect(found).toMatchObject({
    metadata: { annotations },
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: [host], secretName: 'ledger-tls' }],
      rules: [{ host, http: { paths: [{ path: '/' }] } }],
    },
  });
  await chart.apply([found, findObject(objects, 'Service', 'ledgerhouse-api')], { dryRun: true });
});

test('a route of the Gateway API leads to the API', async () => {
  const parentRefs = [{ name: 'public', namespace: 'gateways' }];
  const httpRoute = { enabled: true, parentRefs, hostnames: [host] };
  const objects = await chart.rendered({ api: { enabled: true, httpRoute } });
  expect(findObject(objects, 'HTTPRoute').spec).toMatchObject({
    parentRefs,
    hostnames: [host],
    rules: [{ backendRefs: [{ name: 'ledgerhouse-api', port: 80 }] }],
  });
});

test('neither is there unless it is asked for', async () => {
  const kinds = (objects: readonly Rendered[]) => objects.map(({ kind }) => kind);
  for (const values of [{}, { api: { enabled: true } }]) {
    const found = kinds(await chart.rendered(values));
    expect(found).not.toContain('Ingress');
    expect(found).not.toContain('HTTPRoute');
  }
});

test("the API's network policy allows the connections that it needs and those of the values", async () => {
  const https = { ports: [{ port: 443, protocol: 'TCP' }] };
  const objects = await chart.rendered({ api: { enabled: true, egress: [https] } });
  const policy = findObject<Rendered & { spec: { egress: object[]; policyTypes: string[] } }>(
    objects,
    'NetworkPolicy',
    'ledgerhouse-api',
  );
  expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  expect(policy.spec.egress).toContainEqual(https);
  const text = JSON.stringify(policy.spec.egress);
  for (const port of [53, 6443, 5432, 3001, 3002]) expect(text).toContain(`"port":${port}`);
  await chart.apply([policy], { dryRun: true });
});

test('the worker runs beside the API, with an account and a network of its own', async () => {
  const worker = { replicas: 3, logLevel: 'debug', egress: [{ ports: [{ port: 587 }] }] };
  const objects = await chart.rendered({ api: { enabled: true }, worker });
  const deployment = findObject<Rendered & Workload>(objects, 'Deployment', 'ledgerhouse-worker');
  expect(deployment.spec).toMatchObject({
    replicas: 3,
    template: {
      spec: {
        serviceAccountName: 'ledgerhouse-worker',
        containers: [
          { command: ['/bin/node', '--max-semi-space-size=16', '/app/dist/api/worker-main.js'] },
        ],
      },
    },
  });
  const budget = findObject(objects, 'PodDisruptionBudget', 'ledgerhouse-worker');
  const policy = findObject<Rendered & { spec: { ingress: object[]; egress: object[] } }>(
    objects,
    'NetworkPolicy',
    'ledgerhouse-worker',
  );
  // It answers no requests, and asks engines for their change events and figures.
  expect(JSON.stringify(policy.spec.ingress)).not.toContain('8080');
  const text = JSON.stringify(policy.spec.egress);
  for (const port of [53, 6443, 5432, 587, 3001, 3002]) expect(text).toContain(`"port":${port}`);
  const postgres = findObject(objects, 'NetworkPolicy', 'ledgerhouse-postgres');
  expect(JSON.stringify(postgres)).toContain('ledgerhouse-worker');
  await chart.apply([deployment, budget, policy, postgres], { dryRun: true });

  const alone = await chart.rendered({ api: { enabled: true }, worker: { replicas: 1 } });
  expect(alone.filter(({ kind, metadata }) => `${kind} ${metadata.name}` === 'PodDisruptionBudget ledgerhouse-worker')).toEqual([]);
  const none = await chart.rendered({});
  expect(JSON.stringify(none)).not.toContain('ledgerhouse-worker');
});

test.each([
  ['api.ingress.host', { ingress: { enabled: true } }],
  ['api.httpRoute.parentRefs', { httpRoute: { enabled: true } }],
  ['/api/trustedProxies/0', { trustedProxies: ['proxy.example.org'] }],
  ['/api/servers/production', { servers: { production: 'ledger' } }],
])('%s is refused when it is missing or none', async (path, api) => {
  const { code, stderr } = await chart.tryRender({ api: { enabled: true, ...api } });
  expect([code, stderr]).toEqual([1, expect.stringContaining(path)]);
});
