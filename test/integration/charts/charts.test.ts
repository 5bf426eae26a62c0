/** The charts: as Helm checks them, as a real API server takes them, and what they promise to those who install them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../../api/config.ts';
import { capacityOfSize } from '../../../domain/catalog/capacity.ts';
import { nothing, resolve } from '../../../domain/catalog/resolve.ts';
import { connectLabel, ports, sweepName } from '../../../domain/names.ts';
import type { LedgerCatalog } from '../../../domain/custom-resources.ts';
import { formatRelease, oldestClientRelease, engineRelease } from '../../../engine/wire/release.ts';
import { adapterOf } from '../../../operator/engines/adapters.ts';
import { problemsOf } from '../../../operator/ledgercatalog/reconcile.ts';
import { conditionRows } from '../../../operator/ledgerdatabase/condition-rows.ts';
import { ConditionType } from '../../../domain/conditions.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { eventually, mustRun, shell, type Ended } from '../../support/shell.ts';

const chart = 'charts/ledgerhouse';
const definitions = 'charts/ledgerhouse-crds';
/** Plural names of the custom resources. */
const plurals = readdirSync('crds')
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'))
  .toSorted();
const namespace = 'ledgerhouse-system';

let plane: ControlPlane;
let folder = '';
let programs = { helm: '', kubectl: '' };
let env: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-charts-'));
  plane = await startControlPlane({ controllerManager: true });
  const find = async (name: string) => {
    const printed = await mustRun(process.execPath, ['tools/cluster/main.ts', 'binary', name]);
    return printed.trim().split('\n').at(-1) ?? '';
  };
  programs = { helm: await find('helm'), kubectl: await find('kubectl') };
  env = {
    KUBECONFIG: plane.kubeconfig,
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
  await kubectl('create', 'namespace', namespace);
  await kubectl('label', 'ns', namespace, 'pod-security.kubernetes.io/enforce=restricted');
});
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const tryHelm = (...args: string[]): Promise<Ended> => shell(programs.helm, args, { env });
const helm = (...args: string[]) => mustRun(programs.helm, args, { env });
const kubectl = (...args: string[]) => mustRun(programs.kubectl, args, { env });

interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
    readonly labels?: Record<string, string>;
  };
  readonly spec?: unknown;
  readonly rules?: unknown;
}

const documentsOf = (text: string) =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);

/** As `helm template` renders it with these values. */
async function rendered(values: object = {}, ...args: string[]): Promise<Rendered[]> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const text = await helm('template', 'ledgerhouse', chart, '-n', namespace, '-f', file, ...args);
  return documentsOf(text);
}
interface Monitor extends Rendered {
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly podTargetLabels?: readonly string[];
    readonly endpoints?: readonly { readonly port: string }[];
    readonly podMetricsEndpoints?: Monitor['spec']['endpoints'];
  };
}
interface MonitoredService extends Rendered {
  readonly spec: {
    readonly selector: Record<string, string>;
    readonly ports: readonly { name: string; port: number; targetPort: string }[];
  };
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which kind's shape it is
const find = <T = Rendered>(objects: readonly Rendered[], kind: string, name?: string): T => {
  const found = objects.find(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
  if (found === undefined) throw new Error(`no ${kind} ${name ?? ''}`);
  return found as T;
};

interface PodTemplate {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly containers: readonly {
      readonly image: string;
      readonly command?: readonly string[];
      readonly args?: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
    readonly nodeSelector?: Record<string, string>;
  };
}
const templateOf = (objects: readonly Rendered[]) =>
  find<{ spec: { template: PodTemplate; replicas: number } }>(objects, 'Deployment').spec.template;

test.each([chart, definitions])("%s passes Helm's own checks", async (path) => {
  const { code, stdout, stderr } = await tryHelm('lint', '--strict', path);
  expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
});

test('on OpenShift, which assigns users to pods, no pod of the API, the worker and the operator names one', async () => {
  const api = { enabled: true, postgres: { urlSecret: 'postgres' } };
  for (const [openshift, named] of [
    ['yes', false],
    ['no', true],
  ] as const) {
    const objects = await rendered({ operator: { openshift }, api });
    const users = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((one) => [one.metadata.name, JSON.stringify(one.spec).includes('runAsUser')] as const);
    expect(users).toHaveLength(3);
    expect(Object.fromEntries(users)).toEqual({
      'ledgerhouse-api': named,
      'ledgerhouse-operator': named,
      'ledgerhouse-worker': named,
    });
  }
});

test('charts, package and engine are of one version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const path of [chart, definitions]) {
    expect(parse(readFileSync(`${path}/Chart.yaml`, 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  }
});

describe('values', () => {
  test('decide about every part', async () => {
    const objects = await rendered({
      images: {
        operator: { repository: 'registry.example/op', digest: `sha256:${'0'.repeat(64)}` },
        engine: { repository: 'registry.example/engine', tag: '7' },
        tigerbeetle: { repository: 'registry.example/tb' },
      },
      imagePullSecrets: [{ name: 'pull' }],
      operator: {
        replicas: 1,
        logLevel: 'debug',
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
      podMonitors: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRules: {
        enabled: true,
        labels: { release: 'prometheus' },
        runbooks: 'https://docs.example.com',
      },
      grafanaDashboards: { enabled: true, labels: { find: 'me' } },
      networkPolicies: { apiServerPorts: [16_443] },
      tigerbeetle: { seccomp: 'unconfined' },
    });
    const template = templateOf(objects);
    const [container] = template.spec.containers;
    expect(container?.image).toBe(`registry.example/op@sha256:${'0'.repeat(64)}`);
    expect(template.spec).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'a' }],
      imagePullSecrets: [{ name: 'pull' }],
    });
    const variables = Object.fromEntries(
      (container?.env ?? []).map(({ name, value }) => [name, value]),
    );
    expect(variables).toMatchObject({
      LEDGERHOUSE_OPERATOR_LOG_LEVEL: 'debug',
      LEDGERHOUSE_OPERATOR_TIGERBEETLE_SECCOMP: 'unconfined',
    });
    const { spec } = find<LedgerCatalog>(objects, 'LedgerCatalog');
    const [builtin, tigerBeetle] = spec.engines;
    expect(builtin?.versions[0]?.image).toBe('registry.example/engine:7');
    expect(tigerBeetle?.versions.map(({ image, agentImage }) => [image, agentImage])).toEqual([
      ['registry.example/tb:0.17.8', 'registry.example/engine:7'],
      ['registry.example/tb:0.17.9', 'registry.example/engine:7'],
    ]);
    expect(objects.filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([]);
    expect(objects.filter(({ kind }) => kind === 'PodMonitor')).toHaveLength(2);
    expect(find(objects, 'PrometheusRule').metadata.labels).toMatchObject({
      release: 'prometheus',
    });
    expect(JSON.stringify(find(objects, 'PrometheusRule').spec)).toContain(
      '"https://docs.example.com/alerts.md#ledgerdatabaseunavailable"',
    );
    const dashboards = objects.filter(({ kind }) => kind === 'ConfigMap') as (Rendered & {
      readonly data: Readonly<Record<string, string>>;
    })[];
    expect(dashboards.map(({ metadata: { name, labels } }) => [name, labels?.['find']])).toEqual([
      ['ledgerhouse-dashboard-database', 'me'],
      ['ledgerhouse-dashboard-fleet', 'me'],
    ]);
    for (const { data } of dashboards) {
      for (const [name, text] of Object.entries(data)) {
        const file = name.replace('ledgerhouse-', '');
        expect(text).toBe(readFileSync(`${chart}/dashboards/${file}`, 'utf8'));
      }
    }
    expect(JSON.stringify(find(objects, 'NetworkPolicy').spec)).toContain('"port":16443');
  });

  test('leave out switched-off parts', async () => {
    const objects = await rendered({
      catalog: { create: false },
      networkPolicies: { enabled: false },
    });
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const kind of ['LedgerCatalog', 'NetworkPolicy', 'PodMonitor', 'PrometheusRule']) {
      expect(kinds.has(kind)).toBe(false);
    }
  });

  test('let Prometheus scrape the same pods and ports by ServiceMonitors, and not twice', async () => {
    const monitors = { enabled: true, labels: { release: 'prometheus' } };
    const api = { enabled: true };
    const objects = await rendered({ api, serviceMonitors: monitors });
    const all = objects.filter(({ kind }) => kind === 'ServiceMonitor') as Monitor[];
    expect(all.map(({ metadata: { name, labels } }) => [name, labels?.['release']])).toEqual([
      ['ledgerhouse-operator', 'prometheus'],
      ['ledgerhouse-api', 'prometheus'],
      ['ledgerhouse-worker', 'prometheus'],
      ['ledgerhouse-databases', 'prometheus'],
    ]);
    const services = objects.filter(({ kind }) => kind === 'Service') as MonitoredService[];
    for (const { metadata, spec } of all.slice(0, 3)) {
      const found = services.filter(({ metadata: { labels = {} } }) =>
        Object.entries(spec.selector.matchLabels).every(([key, value]) => labels[key] === value),
      );
      expect(found.map((service) => service.metadata.name)).toEqual([`${metadata.name}-metrics`]);
      const [service] = found;
      const { template } = find<{ spec: { template: PodTemplate } }>(
        objects,
        'Deployment',
        metadata.name,
      ).spec;
      expect(template.metadata.labels).toMatchObject(service?.spec.selector ?? { no: 'service' });
      expect(service?.spec.ports.map(({ name }) => name)).toContain(spec.endpoints?.[0]?.port);
      const container = template.spec.containers[0] as unknown as {
        ports: readonly { name: string; containerPort: number }[];
      };
      const targets = service?.spec.ports.map(({ targetPort, port }) => ({
        name: targetPort,
        containerPort: port,
      }));
      expect(container.ports).toEqual(expect.arrayContaining(targets ?? ['no port']));
    }
    // Both ways ask the same things, of the same kinds of pods.
    const pods = (await rendered({ api, podMonitors: monitors })).filter(
      ({ kind }) => kind === 'PodMonitor',
    ) as Monitor[];
    const asked = (monitors: readonly Monitor[]) =>
      Object.fromEntries(
        monitors.map(({ metadata: { name }, spec }) => [
          name,
          [spec.endpoints ?? spec.podMetricsEndpoints, spec.podTargetLabels],
        ]),
      );
    expect(asked(all)).toEqual(asked(pods));
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ podMonitors: monitors, serviceMonitors: monitors }));
    const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining('choose one')]);
  });

  test('send traces of requests where they say, and nowhere by default', async () => {
    writeFileSync(join(folder, 'signing-key'), 'k'.repeat(48));
    const traces = { endpoint: 'http://otel-collector.monitoring:4318', percent: 0.5 };
    const api = configOf(await rendered({ api: { enabled: true, traces } }), 'ledgerhouse-api');
    expect(api.traces).toEqual({ endpoint: traces.endpoint, share: 0.005 });
    const none = configOf(await rendered({ api: { enabled: true } }), 'ledgerhouse-api');
    expect(none.traces).toBeUndefined();
  });

  test('tell everybody the notice of the values, whatever characters it has', async () => {
    writeFileSync(join(folder, 'signing-key'), 'k'.repeat(48));
    const notice = 'Maintenance on "Friday": {{ .Values }} <b>read-only</b> ';
    const given = { enabled: true, notice: `${notice}$(LEDGERHOUSE_API_DATABASE_URL)` };
    const api = configOf(await rendered({ api: given }), 'ledgerhouse-api');
    // Kubernetes writes a doubled dollar sign as one, and fills in nothing.
    expect(api.notice).toBe(`${notice}$$(LEDGERHOUSE_API_DATABASE_URL)`);
    const none = configOf(await rendered({ api: { enabled: true } }), 'ledgerhouse-api');
    expect(none.notice).toBeUndefined();
  });

  const signIn = {
    publicUrl: 'https://ledger.example.com',
    oidc: {
      issuer: 'https://id.example.com',
      clientId: 'ledgerhouse',
      clientSecret: 'ledgerhouse-oidc',
    },
    mail: { smtpSecret: 'ledgerhouse-mail', from: 'Ledgerhouse <ledger@example.com>' },
  };

  /** The configuration of API or worker, as it reads what the chart puts into its environment; its secrets are in `folder`. */
  const configOf = (objects: readonly Rendered[], name: string) => {
    const { template } = find<{ spec: { template: PodTemplate } }>(objects, 'Deployment', name)
      .spec;
    const environment = (template.spec.containers[0]?.env ?? []).map(({ name, value = 'x' }) => [
      name,
      name.endsWith('_FILE') ? join(folder, basename(value)) : value,
    ]);
    return readConfig({
      ...(Object.fromEntries(environment) as Record<string, string>),
      LEDGERHOUSE_API_DATABASE_URL: 'postgres://db/ledgerhouse',
    });
  };

  test('lead to an identity provider and to mail by settings that the API takes, with the secrets as files', async () => {
    const objects = await rendered({ api: { enabled: true, ...signIn } });
    const files = {
      'client-secret': 'hidden',
      url: 'smtps://user:hidden@mail.example.com:465',
      'signing-key': 'k'.repeat(48),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const api = configOf(objects, 'ledgerhouse-api');
    expect(api.identityProvider).toEqual({ ...signIn.oidc, clientSecret: 'hidden' });
    // The worker sends the mail: the API does not get the way, which holds a password.
    expect([api.mails, api.mail]).toEqual([true, undefined]);
    const worker = configOf(objects, 'ledgerhouse-worker');
    const mail = { kind: 'smtp', url: files.url, from: signIn.mail.from };
    expect([worker.mails, worker.mail]).toEqual([true, mail]);
    expect(worker.identityProvider).toBeUndefined();
    const text = (name: string) => JSON.stringify(find(objects, 'Deployment', name));
    expect(text('ledgerhouse-api')).toContain('"secretName":"ledgerhouse-oidc"');
    expect(text('ledgerhouse-api')).not.toContain('ledgerhouse-mail');
    expect(text('ledgerhouse-worker')).toContain('"secretName":"ledgerhouse-mail"');
    expect(text('ledgerhouse-worker')).not.toMatch(/ledgerhouse-oidc|bootstrap/);
    expect(JSON.stringify(await rendered({ api: { enabled: true } }))).not.toMatch(/OIDC|MAIL/);
  });

  test.each([
    ['clientId', { oidc: { ...signIn.oidc, clientId: '' } }],
    ['publicUrl', { publicUrl: '' }],
    ['mail.from', { mail: { ...signIn.mail, from: '' } }],
  ])('that want people and do not say %s are refused with what is missing', async (name, less) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ api: { enabled: true, ...signIn, ...less } }));
    const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(name)]);
  });

  const namespaceDefaultsOf = async (values: object) => {
    const { template } = find<{ spec: { template: PodTemplate } }>(
      await rendered(values),
      'Deployment',
      'ledgerhouse-worker',
    ).spec;
    const settings = (template.spec.containers[0]?.env ?? []).filter(({ name }) =>
      name.includes('_NAMESPACE_'),
    );
    writeFileSync(join(folder, 'signing-key'), 'k'.repeat(48));
    return readConfig({
      ...Object.fromEntries(settings.map(({ name, value }) => [name, value])),
      LEDGERHOUSE_API_DATABASE_URL: 'postgres://db/ledgerhouse',
      LEDGERHOUSE_API_SIGNING_KEY_FILE: join(folder, 'signing-key'),
    }).namespaceDefaults;
  };

  test("say what organizations' namespaces begin with, and TigerBeetle's pods are let in either way", async () => {
    const room = { pods: 600, claims: 1200, services: 600 };
    const api = { enabled: true };
    expect(await namespaceDefaultsOf({ api })).toEqual({
      podSecurity: 'restricted',
      quota: room,
      fixed: {},
    });
    const tigerbeetle = { seccomp: 'unconfined' };
    expect(await namespaceDefaultsOf({ api, tigerbeetle })).toMatchObject({
      podSecurity: 'privileged',
    });
    const quota = { pods: 7, persistentVolumeClaims: 1234567, services: 9 };
    const read = { pods: 7, claims: 1_234_567, services: 9 };
    expect(
      await namespaceDefaultsOf({
        api: { ...api, namespaces: { podSecurity: 'baseline', quota } },
      }),
    ).toEqual({ podSecurity: 'baseline', quota: room, fixed: read });
    const file = join(folder, 'wrong.json');
    const namespaces = { podSecurity: 'baseline' };
    writeFileSync(file, JSON.stringify({ api: { ...api, namespaces }, tigerbeetle }));
    const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining('api.namespaces.podSecurity')]);
  });

  const stripe = {
    provider: 'stripe',
    currency: 'EUR',
    stripe: { secret: 'ledgerhouse-stripe', prices: ['price_1', 'price_2'] },
  };

  test('lead to Stripe by settings that the API takes, with the secrets as files', async () => {
    const publicUrl = 'https://ledger.example.com';
    const api = { enabled: true, publicUrl, billing: stripe };
    const objects = await rendered({ api });
    const files = {
      'secret-key': 'sk_test_1',
      'webhook-secret': 'whsec_1',
      'signing-key': 'k'.repeat(48),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const name of ['ledgerhouse-api', 'ledgerhouse-worker']) {
      expect(configOf(objects, name).billing).toMatchObject({
        kind: 'stripe',
        secretKey: 'sk_test_1',
        // Only the API receives events.
        webhookSecret: name === 'ledgerhouse-api' ? 'whsec_1' : undefined,
        currency: 'EUR',
        prices: ['price_1', 'price_2'],
        returnUrl: publicUrl,
      });
      const deployment = JSON.stringify(find(objects, 'Deployment', name));
      expect(deployment).toContain('"secretName":"ledgerhouse-stripe"');
      expect(deployment.includes('webhook-secret')).toBe(name === 'ledgerhouse-api');
    }
    expect(JSON.stringify(await rendered({ api: { enabled: true } }))).not.toContain('stripe');
  });

  test.each([
    ['currency', { currency: '' }],
    ['stripe.prices', { stripe: { secret: 'ledgerhouse-stripe', prices: [] } }],
    ['stripe.secret', { stripe: { secret: '', prices: ['price_1'] } }],
    ['publicUrl', {}],
  ])('that want Stripe and do not say %s are refused with what is missing', async (name, less) => {
    const publicUrl = name === 'publicUrl' ? '' : 'https://ledger.example.com';
    const file = join(folder, 'wrong.json');
    const api = { enabled: true, publicUrl, billing: { ...stripe, ...less } };
    writeFileSync(file, JSON.stringify({ api }));
    const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(name)]);
  });

  test.each<[string, object, string]>([
    ['a misspelt value', { operater: {} }, "additional properties 'operater' not allowed"],
    [
      'a misspelt value further down',
      { operator: { replica: 2 } },
      "additional properties 'replica' not allowed",
    ],
    ['no operator at all', { operator: { replicas: 0 } }, 'minimum: got 0, want 1'],
    ['a level that there is not', { operator: { logLevel: 'loud' } }, "'debug', 'info', 'warn'"],
    ['a digest that is none', { images: { operator: { digest: 'latest' } } }, 'digest'],
    ['no repository', { images: { engine: { repository: '' } } }, 'minLength: got 0, want 1'],
    [
      'a profile that there is not',
      { tigerbeetle: { seccomp: 'none' } },
      "'localhost', 'unconfined'",
    ],
    [
      "a level of organizations' namespaces that there is not",
      { api: { enabled: true, namespaces: { podSecurity: 'strict' } } },
      "'privileged', 'baseline', 'restricted'",
    ],
    [
      'a quota of nothing',
      { api: { enabled: true, namespaces: { quota: { pods: 0 } } } },
      'minimum: got 0, want 1',
    ],
    ['a catalog in words', { catalog: { create: 'yes' } }, 'got string, want boolean'],
    [
      'a default without storage',
      { catalog: { defaults: { storageGb: 0 } } },
      'minimum: got 0, want 1',
    ],
    [
      'a size with a misspelt field',
      { catalog: { sizes: [{ id: 'lh-5', cpuMilli: 250, memoryMib: 1024 }] } },
      "missing property 'cpuMillis'",
    ],
    ['no sizes', { catalog: { sizes: [] } }, 'minItems: got 0, want 1'],
    [
      'a version that is a number',
      { catalog: { tigerbeetleVersions: [{ version: 0.17 }] } },
      'got number, want string',
    ],
    [
      'an earlier version of no known release',
      { catalog: { builtinPreviousVersions: [{ version: '0.0.1' }] } },
      "missing property 'release'",
    ],
    [
      'prices without a currency',
      { catalog: { prices: { sizes: [{ size: 'lh-5', monthly: '1' }] } } },
      "missing property 'currency'",
    ],
    ['a port that is none', { networkPolicies: { apiServerPorts: [0] } }, 'minimum: got 0, want 1'],
  ])('with %s are refused in words that say where and why', async (_, values, words) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify(values));
    const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    const [path] = Object.keys(values);
    if (path !== 'operater') expect(stderr).toContain(`'/${path}`);
  });

  test('are all in the README, with every name as it is written', () => {
    const readme = readFileSync(`${chart}/README.md`, 'utf8');
    const values = parse(readFileSync(`${chart}/values.yaml`, 'utf8')) as Record<string, unknown>;
    const undocumented: string[] = [];
    for (const [name, value] of Object.entries(values)) {
      const inner =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.keys(value)
          : [];
      for (const key of inner) {
        const named = readme.includes(`${name}.${key}`) || readme.includes(`\`.${key}\``);
        if (!named) undocumented.push(`${name}.${key}`);
      }
      if (inner.length === 0 && !readme.includes(`\`${name}\``)) undocumented.push(name);
    }
    expect(undocumented).toEqual([]);
  });
});

test('only the sweep has credentials that delete backups, and only if it is told which', async () => {
  const without = await rendered({ s3: { enabled: true } });
  expect(without.filter(({ kind }) => kind === 'CronJob')).toEqual([]);
  const backups = { sweep: { credentialsSecret: 'sweeper', schedule: '5 * * * *' } };
  const objects = await rendered({ s3: { enabled: true }, backups });
  interface Sweep {
    spec: { schedule: string; jobTemplate: { spec: { template: PodTemplate } } };
  }
  const { spec } = find<Sweep>(objects, 'CronJob', 'ledgerhouse-backup-sweep');
  expect(spec.schedule).toBe('5 * * * *');
  const pod = JSON.stringify(spec.jobTemplate);
  expect(pod).toContain('"sweep-backups","--store=s3://backups/ledgerhouse"');
  expect(pod).toContain('"name":"sweeper"');
  // The operator reads its last words, and knows it by its label.
  expect(pod).toContain('"--result=/dev/termination-log"');
  expect(pod).toContain(`"app.kubernetes.io/name":"${sweepName}"`);
  expect(pod).toContain('"automountServiceAccountToken":false');
  const others = objects.filter(({ kind }) => kind !== 'CronJob');
  expect(JSON.stringify(others)).not.toContain('sweeper');
  expect(JSON.stringify(objects)).not.toContain('encryption-keys');
  // Keys are for whoever makes Jobs with them, and for the sweep, which opens records.
  const encryption = { keysSecret: 'of-archives' };
  const keyed = await rendered({ s3: { enabled: true }, backups: { ...backups, encryption } });
  const holders = keyed.filter((one) => JSON.stringify(one).includes('"name":"of-archives"'));
  expect(holders.map(({ metadata }) => metadata?.name).sort()).toEqual([
    'ledgerhouse-backup-sweep',
    'ledgerhouse-operator',
  ]);
  for (const one of holders) expect(JSON.stringify(one)).toContain('"path":"encryption-keys"');
  // So is object lock, whose ConfigMap has another name for each content, so that a change replaces the operator's pods.
  const objectLock = { mode: 'COMPLIANCE', days: 90 };
  const locked = await rendered({ s3: { enabled: true }, backups: { ...backups, objectLock } });
  const settings = 'ledgerhouse-object-lock-compliance-90';
  expect(find<{ data: object }>(locked, 'ConfigMap', settings).data).toEqual({
    'object-lock': 'COMPLIANCE 90',
  });
  const readers = locked.filter((one) => JSON.stringify(one).includes('"path":"object-lock"'));
  expect(readers.map(({ metadata }) => metadata?.name).sort()).toEqual([
    'ledgerhouse-backup-sweep',
    'ledgerhouse-operator',
  ]);
  const file = join(folder, 'no-bucket.json');
  writeFileSync(file, JSON.stringify({ backups }));
  const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
  expect([code, stderr]).toEqual([1, expect.stringContaining('needs a bucket')]);
});

test('API and worker stage imports with credentials of their own, and none where there is no bucket', async () => {
  const programs = ['ledgerhouse-api', 'ledgerhouse-worker'];
  const api = { enabled: true };
  const podsOf = async (values: object) => {
    const objects = await rendered({ api, ...values });
    return programs.map((name) => JSON.stringify(find(objects, 'Deployment', name)));
  };
  for (const pod of await podsOf({})) expect(pod).not.toContain('IMPORTS');
  const store = { url: 's3://bucket/house', endpoint: 'https://s3.example' };
  const backups = { store, credentialsSecret: 'of-backups' };
  for (const pod of await podsOf({ backups })) expect(pod).not.toContain('IMPORTS');
  const imports = { credentialsSecret: 'of-imports', gibibytesPerOrganization: 50 };
  for (const pod of await podsOf({ backups, imports })) {
    expect(pod).toContain('"LEDGERHOUSE_API_IMPORTS_STORE","value":"s3://bucket/house"');
    expect(pod).toContain('"LEDGERHOUSE_API_IMPORTS_ENDPOINT","value":"https://s3.example"');
    expect(pod).toContain('GIBIBYTES_PER_ORGANIZATION","value":"50"');
    expect(pod).toContain('"secretName":"of-imports"');
    expect(pod).not.toContain('of-backups');
  }
  // The small S3 server has one pair of keys.
  const s3 = { enabled: true };
  for (const pod of await podsOf({ s3 })) expect(pod).toContain('"secretName":"ledgerhouse-s3"');
  const objects = await rendered({ api, s3 });
  for (const name of programs) {
    const policy = JSON.stringify(find(objects, 'NetworkPolicy', name));
    expect(policy).toContain('"app.kubernetes.io/name":"ledgerhouse-s3"');
    expect(JSON.stringify(find(objects, 'NetworkPolicy', 'ledgerhouse-s3'))).toContain(name);
  }
  const file = join(folder, 'imports-without-bucket.json');
  writeFileSync(file, JSON.stringify({ api, imports }));
  const { code, stderr } = await tryHelm('template', 'ledgerhouse', chart, '-f', file);
  expect([code, stderr]).toEqual([1, expect.stringContaining('needs a bucket')]);
});

test('the seccomp profile of TigerBeetle comes to nodes where its pods ask for it, by every way that is told', () => {
  const subject = {} as Parameters<ReturnType<typeof adapterOf>['seccompProfile']>[0];
  const { localhostProfile = '' } = adapterOf('TigerBeetle').seccompProfile(subject) ?? {};
  const told = `/var/lib/kubelet/seccomp/${localhostProfile}`;
  for (const page of [`${chart}/README.md`, 'docs/operating/install.md']) {
    const text = readFileSync(page, 'utf8');
    expect(text).toContain(told);
    // That operator uses a folder of its own, which nothing here can name.
    expect(text).not.toMatch(/Security\s+Profiles\s+Operator/);
  }
  const example = readFileSync('docs/examples/io-uring-profile.yaml', 'utf8');
  expect(example).toContain(`path: ${dirname(told)},`);
  expect(example).toContain(`/node/${basename(told)}\n`);
});

describe("the catalog of the chart's own values", () => {
  let spec: LedgerCatalog['spec'];
  beforeAll(async () => {
    const objects = await rendered();
    spec = find<LedgerCatalog>(objects, 'LedgerCatalog').spec;
  });

  test('holds together', () => {
    expect(problemsOf(spec)).toEqual([]);
  });

  test('offers its sizes by their rule: n/20 cores, n/5 GiB', () => {
    expect(spec.sizes.map(({ id }) => id)).toEqual([
      'lh-5',
      'lh-10',
      'lh-20',
      'lh-40',
      'lh-80',
      'lh-160',
    ]);
    for (const size of spec.sizes) {
      const n = Number(size.id.slice('lh-'.length));
      expect([size.cpuMillis, size.memoryMib]).toEqual([n * 50, (n / 5) * 1024]);
      expect(size.engines).toEqual(n >= 40 ? ['Builtin', 'TigerBeetle'] : ['Builtin']);
    }
  });

  test('has the sizes of the manual, with what each holds by the rule', () => {
    const manual = readFileSync('docs/operating/capacity.md', 'utf8');
    for (const size of spec.sizes) {
      const { transfersMax, accountsMax, storageGb, transfersPerSecond } = capacityOfSize(size);
      const [transfers, accounts, rate] = [transfersMax, accountsMax, transfersPerSecond].map(
        (count) => count.toLocaleString('en'),
      );
      const cores = size.cpuMillis / 1000;
      const row = `| ${size.id} | ${cores} | ${size.memoryMib / 1024} GiB | ${transfers} | ${accounts} | ${storageGb} GiB | ${rate} |`;
      expect(manual).toContain(row);
    }
  });

  test('resolves every size, tier, region and version that it offers', () => {
    const refused: string[] = [];
    for (const { name, versions, topologies } of spec.engines) {
      for (const { version } of versions) {
        for (const size of spec.sizes.filter(({ engines }) => engines?.includes(name) ?? true)) {
          for (const { id: topology } of spec.topologies) {
            if (topologies !== undefined && !topologies.includes(topology)) continue;
            const request = { engine: name, version, size: size.id, topology } as const;
            const resolution = resolve(spec, request);
            if (!resolution.ok) refused.push(`${name} ${version} ${size.id} ${topology}`);
          }
        }
      }
    }
    for (const { id } of spec.storageTiers) {
      const request = { engine: 'TigerBeetle', size: 'lh-40', topology: 'ha-3' } as const;
      if (!resolve(spec, { ...request, storage: { tier: id } }).ok) refused.push(id);
    }
    for (const { id } of spec.providers[0]?.regions ?? []) {
      if (!resolve(spec, { region: id }).ok) refused.push(id);
    }
    expect(refused).toEqual([]);
  });

  test('refuses a single replica on a local disk, and says that a lost node would take the only copy', () => {
    const resolution = resolve(spec, { storage: { tier: 'local-nvme' } });
    expect(resolution).toMatchObject({
      ok: false,
      problems: [
        { reason: 'TierUnavailable', message: expect.stringContaining('lost with its node') },
      ],
    });
  });

  test('describes the built-in engine, and passes only flags that the engine has', async () => {
    const builtin = spec.engines.find(({ name }) => name === 'Builtin');
    expect(builtin?.versions.at(-1)).toMatchObject({
      release: formatRelease(engineRelease),
      oldestClient: formatRelease(oldestClientRelease),
    });
    const help = await mustRun(process.execPath, ['engine/main.ts', 'start', '--help']);
    for (const { flag } of builtin?.parameters ?? []) expect(help).toContain(flag);
  });

  test('upgrades TigerBeetle along the versions that it lists', () => {
    const versions = spec.engines.find(({ name }) => name === 'TigerBeetle')?.versions ?? [];
    for (const [index, { upgradableFrom }] of versions.entries()) {
      expect(upgradableFrom ?? []).toEqual(versions.slice(0, index).map(({ version }) => version));
    }
  });
});

describe('the next release of the chart', () => {
  const next = '99.0.0';
  /** The chart as it would be, with this one's version among those before it. */
  async function nextCatalog(values: object = {}): Promise<LedgerCatalog['spec']> {
    const copy = join(folder, 'next');
    cpSync(chart, copy, { recursive: true });
    const about = readFileSync(`${chart}/Chart.yaml`, 'utf8');
    writeFileSync(
      join(copy, 'Chart.yaml'),
      about.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${next}`),
    );
    const file = join(folder, 'next.json');
    writeFileSync(file, JSON.stringify(values));
    const text = await helm('template', 'ledgerhouse', copy, '-n', namespace, '-f', file);
    return find<LedgerCatalog>(documentsOf(text), 'LedgerCatalog').spec;
  }
  const before = async () => {
    const { spec } = find<LedgerCatalog>(await rendered(), 'LedgerCatalog');
    const made = resolve(spec, {});
    if (!made.ok) throw new Error('the defaults are not valid');
    const { resolved, storageGb } = made;
    const { version, release = '' } = resolved.engine;
    return { version, release, running: { resolved, storageGb, activeVersion: version } };
  };

  test('keeps databases of this one as they are, and upgrades them when they ask for it', async () => {
    const { version, release, running } = await before();
    const spec = await nextCatalog({
      catalog: { builtinPreviousVersions: [{ version, release }] },
    });
    expect(problemsOf(spec)).toEqual([]);
    expect(resolve(spec, {}, running)).toMatchObject({ ok: true, resolved: running.resolved });
    expect(resolve(spec, { version }, running)).toMatchObject({ resolved: running.resolved });
    expect(resolve(spec, { version: next }, running)).toMatchObject({
      ok: true,
      resolved: { engine: { version: next, image: `ledgerhouse/engine:${next}` } },
    });
    // One that never ran, or that has only its volumes left, gets the image of that release.
    expect(resolve(spec, { version }, { ...nothing, activeVersion: version })).toMatchObject({
      ok: true,
      resolved: { engine: { version, release, image: `ledgerhouse/engine:${version}` } },
    });
    expect(resolve(spec, {})).toMatchObject({ resolved: { engine: { version: next } } });
    expect(resolve(spec, { version })).toMatchObject({
      problems: [{ reason: 'UnknownVersion', choices: [next] }],
    });
  });

  test('takes the image of an earlier version from where the values say', async () => {
    const { version, release } = await before();
    const image = `registry.example/engine@sha256:${'1'.repeat(64)}`;
    const spec = await nextCatalog({
      catalog: { builtinPreviousVersions: [{ version, release, oldestClient: '0.16.4', image }] },
    });
    expect(spec.engines[0]?.versions).toMatchObject([
      { version, image, oldestClient: '0.16.4', deprecated: true },
      { version: next, upgradableFrom: [version] },
    ]);
  });

  test('says of an earlier version that it restores in place only if the values say so', async () => {
    const { version, release } = await before();
    const said = async (more: object) => {
      const row = { version, release, ...more };
      const spec = await nextCatalog({ catalog: { builtinPreviousVersions: [row] } });
      return spec.engines[0]?.versions.map(({ restoresInPlace }) => restoresInPlace);
    };
    expect(await said({})).toEqual([undefined, true]);
    expect(await said({ restoresInPlace: true })).toEqual([true, true]);
  });

  test('lists every version that was released before it', () => {
    const { version } = parse(readFileSync(`${chart}/Chart.yaml`, 'utf8')) as { version: string };
    const { catalog } = parse(readFileSync(`${chart}/values.yaml`, 'utf8')) as {
      catalog: { builtinPreviousVersions: { version: string }[] };
    };
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    const released = [...changelog.matchAll(/^## v?(\d+\.\d+\.\d+)/gm)].map(([, one]) => one);
    const listed = catalog.builtinPreviousVersions.map((row) => row.version);
    expect(new Set(listed)).toEqual(new Set(released.filter((one) => one !== version)));
  });
});

describe('alerts', () => {
  const expressions = async () => {
    const objects = await rendered({ api: { enabled: true }, prometheusRules: { enabled: true } });
    const rule = find<{ spec: { groups: { rules: { alert: string; expr: string }[] }[] } }>(
      objects,
      'PrometheusRule',
    );
    return rule.spec.groups.flatMap(({ rules }) => rules);
  };

  test('ask for conditions that the operator tells: one who suspends a database wakes nobody', async () => {
    const conditions = Object.values(ConditionType).map((type) => ({ type, status: 'True' }));
    const databases = [{ metadata: { name: 'a' }, status: { conditions } }];
    const rows = conditionRows(databases as unknown as Parameters<typeof conditionRows>[0]);
    const told = rows.map(([{ type }]) => type);
    const asked = (await expressions()).flatMap(({ expr }) =>
      [...expr.matchAll(/type="([A-Za-z]+)"/g)].map(([, type]) => type),
    );
    expect(asked).toContain('Suspended');
    for (const type of asked) expect(told).toContain(type);
  });
});

describe('on a cluster', () => {
  const installArgs = ['--namespace', namespace] as const;
  const crdNames = async () =>
    (await kubectl('get', 'crd', '-o', 'name')).trim().split('\n').filter(Boolean).toSorted();
  const definitionNames = plurals.map(
    (kind) => `customresourcedefinition.apiextensions.k8s.io/${kind}.ledgerhouse.dev`,
  );
  const databaseNames = async () =>
    (await kubectl('get', 'ldb', '-A', '-o', 'name')).trim().split('\n').filter(Boolean);

  test('without the custom resources the chart is refused, and says what is missing', async () => {
    const { code, stderr } = await tryHelm('install', 'ledgerhouse', chart, ...installArgs);
    expect([code, stderr]).toEqual([1, expect.stringContaining('LedgerCatalog')]);
    expect(stderr).toContain('ensure CRDs are installed first');
  });

  test('two commands install everything, within the restricted profile', async () => {
    await helm('install', 'ledgerhouse-crds', definitions, ...installArgs);
    // The API server takes a moment until it serves new definitions, and a person who is faster is told to install them first.
    await eventually('what the definitions define is served', () =>
      helm('install', 'ledgerhouse', chart, '--dry-run=server', ...installArgs),
    );
    await helm('install', 'ledgerhouse', chart, ...installArgs);
    expect(await crdNames()).toEqual(definitionNames);
    const catalog = JSON.parse(
      await kubectl('get', 'lcat', 'default', '-o', 'json'),
    ) as LedgerCatalog;
    // The API server stored the written catalog and added its defaults.
    const shipped = find<LedgerCatalog>(await rendered(), 'LedgerCatalog');
    expect(catalog.spec).toMatchObject(JSON.parse(JSON.stringify(shipped.spec)));
    expect(problemsOf(catalog.spec)).toEqual([]);
    const { stderr } = await tryHelm('get', 'notes', 'ledgerhouse', ...installArgs);
    expect(stderr).toBe('');
  });

  test("the definitions' notes name every one of them, and the annotation that lets it go", async () => {
    const notes = await helm('get', 'notes', 'ledgerhouse-crds', ...installArgs);
    for (const name of await crdNames()) {
      const [, definition = ''] = name.split('/');
      expect(notes.split(definition)).toHaveLength(3);
    }
    expect(notes).toContain('ledgerhouse.dev/allow-deletion=true');
    expect(notes).toContain(`helm uninstall ledgerhouse-crds --namespace ${namespace}`);
  });

  test("the notes' example is a database that the API server takes, and its label the one that admits clients", async () => {
    const notes = await helm('get', 'notes', 'ledgerhouse', ...installArgs);
    const [, manifest = ''] = /<<END\n([\s\S]*?)\n\s*END/.exec(notes) ?? [];
    const file = join(folder, 'example.yaml');
    writeFileSync(file, manifest);
    await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);
    expect(notes).toContain(connectLabel('example'));
  });

  test.each([
    'docs/examples/single.yaml',
    'docs/examples/ha-3.yaml',
    'docs/examples/ha-3-tigerbeetle.yaml',
  ])('%s is taken, and the catalog resolves it', async (path) => {
    const printed = await kubectl(
      'apply',
      '--dry-run=server',
      '--validate=strict',
      '-o',
      'json',
      '-f',
      path,
    );
    const { spec } = JSON.parse(printed) as { spec: Parameters<typeof resolve>[1] };
    const { spec: catalog } = find<LedgerCatalog>(await rendered(), 'LedgerCatalog');
    expect(resolve(catalog, spec)).toMatchObject({ ok: true });
  });

  test("the operator's pods and the check's are within Pod Security's restricted profile", async () => {
    const objects = await rendered();
    const template = templateOf(objects);
    const check = find<Rendered & PodTemplate>(objects, 'Pod', 'ledgerhouse-check');
    const pods = [
      {
        metadata: { name: 'operator', namespace, labels: template.metadata.labels },
        spec: template.spec,
      },
      { metadata: { name: 'check', namespace }, spec: check.spec },
    ].map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod }));
    const file = join(folder, 'pods.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }));
    // The check's account is made by `helm test` only.
    await kubectl('-n', namespace, 'create', 'serviceaccount', 'ledgerhouse-check');
    await kubectl('create', '--dry-run=server', '--validate=strict', '-f', file);
    await kubectl('-n', namespace, 'delete', 'serviceaccount', 'ledgerhouse-check');
  });

  test('the programs that pods start are the sources that images hold', async () => {
    const objects = await rendered();
    const check = find<Rendered & PodTemplate>(objects, 'Pod', 'ledgerhouse-check');
    const [, program = ''] = check.spec.containers[0]?.command ?? [];
    expect(program).toBe('/app/dist/operator/check-installation.js');
    expect(readFileSync('operator/check-installation.ts', 'utf8')).toContain('checkInstallation');
    expect(readFileSync('images/operator/Dockerfile', 'utf8')).toContain(
      '/app/dist/operator/main.js',
    );
  });

  const can = async (who: string, verb: string, resource: string, ...where: string[]) =>
    (
      await shell(programs.kubectl, ['auth', 'can-i', verb, resource, '--as', who, ...where], {
        env,
      })
    ).stdout.trim() === 'yes';

  test.each([
    ['view', ['get', 'list', 'watch'], ['create', 'update', 'patch', 'delete']],
    ['edit', ['get', 'create', 'update', 'patch', 'delete'], []],
    ['admin', ['get', 'create', 'update', 'patch', 'delete'], []],
  ])(
    'who has the role %s in a namespace has it for its databases, never for their status',
    async (role, may, mayNot) => {
      const team = `team-${role}`;
      await kubectl('create', 'namespace', team);
      await kubectl(
        '-n',
        team,
        'create',
        'rolebinding',
        'jane',
        `--clusterrole=${role}`,
        '--user=jane',
      );
      // One after the other, and all of them before they are looked at.
      for (const verb of may) {
        await eventually('roles are aggregated', async () =>
          (await can('jane', verb, 'ledgerdatabases.ledgerhouse.dev', '-n', team))
            ? true
            : undefined,
        );
      }
      for (const kind of [
        'ledgerdatabases',
        'ledgerbackups',
        'ledgerbackupschedules',
        'ledgerimports',
      ]) {
        for (const verb of may) {
          expect([
            verb,
            kind,
            await can('jane', verb, `${kind}.ledgerhouse.dev`, '-n', team),
          ]).toEqual([verb, kind, true]);
        }
        for (const verb of mayNot) {
          expect(await can('jane', verb, `${kind}.ledgerhouse.dev`, '-n', team)).toBe(false);
        }
        expect(
          await can('jane', 'patch', `${kind}.ledgerhouse.dev`, '--subresource=status', '-n', team),
        ).toBe(false);
      }
      expect(await can('jane', 'get', 'ledgerdatabases.ledgerhouse.dev', '-n', namespace)).toBe(
        false,
      );
      expect(await can('jane', 'get', 'ledgercatalogs.ledgerhouse.dev')).toBe(true);
      expect(await can('jane', 'patch', 'ledgercatalogs.ledgerhouse.dev')).toBe(false);
    },
  );

  test("the operator may read no Secret, nor list or change nodes, roles, definitions or other pods' insides", async () => {
    const operator = `system:serviceaccount:${namespace}:ledgerhouse-operator`;
    for (const [verb, resource, ...flags] of [
      ['get', 'secrets'],
      ['list', 'secrets'],
      ['watch', 'secrets'],
      ['patch', 'secrets'],
      ['delete', 'secrets'],
      ['list', 'nodes'],
      ['patch', 'nodes'],
      ['get', 'nodes', '--subresource=proxy'],
      ['list', 'namespaces'],
      ['create', 'pods', '--subresource=exec'],
      ['create', 'pods'],
      ['patch', 'pods'],
      ['create', 'clusterroles.rbac.authorization.k8s.io'],
      ['patch', 'customresourcedefinitions.apiextensions.k8s.io'],
      ['create', 'ledgerdatabases.ledgerhouse.dev'],
      ['delete', 'ledgerdatabases.ledgerhouse.dev'],
      ['delete', 'statefulsets.apps'],
      ['patch', 'ledgercatalogs.ledgerhouse.dev'],
      ['create', 'serviceaccounts', '--subresource=token'],
    ] as const) {
      const allowed = await can(operator, verb, resource, '-A', ...flags);
      expect([verb, resource, ...flags, allowed]).toEqual([verb, resource, ...flags, false]);
    }
    expect(await can(operator, 'patch', 'leases.coordination.k8s.io', '-n', namespace)).toBe(true);
    expect(await can(operator, 'patch', 'leases.coordination.k8s.io', '-n', 'kube-system')).toBe(
      false,
    );
  });

  test("the operator's network lets it reach the API server, names and engines, and metrics in from where they may", async () => {
    const { spec } = find<{
      spec: {
        policyTypes: string[];
        ingress: { from: object[]; ports: { port: number }[] }[];
        egress: { to?: object[]; ports: { port: number }[] }[];
      };
    }>(await rendered(), 'NetworkPolicy');
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'ledgerhouse.dev/metrics': 'true' } } }],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ]);
    const engines = spec.egress.filter(({ to }) => to !== undefined);
    expect(engines.map(({ ports: open }) => open.map(({ port }) => port))).toEqual([
      [ports.status],
    ]);
  });

  test('an upgrade changes nothing that is not to change, and uninstalling leaves definitions, catalog and databases', async () => {
    const database = join(folder, 'database.json');
    writeFileSync(
      database,
      JSON.stringify({
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        metadata: { name: 'payments', namespace: 'default' },
        spec: {},
      }),
    );
    await kubectl('apply', '-f', database);
    const generations = async () =>
      JSON.parse(await kubectl('get', 'crd,lcat,deploy,ldb', '-A', '-o', 'json')) as {
        items: { kind: string; metadata: { name: string; uid: string; generation: number } }[];
      };
    const before = (await generations()).items.map(({ kind, metadata }) => [
      kind,
      metadata.name,
      metadata.uid,
      metadata.generation,
    ]);
    await helm('upgrade', 'ledgerhouse-crds', definitions, ...installArgs);
    await helm('upgrade', 'ledgerhouse', chart, ...installArgs);
    const after = (await generations()).items.map(({ kind, metadata }) => [
      kind,
      metadata.name,
      metadata.uid,
      metadata.generation,
    ]);
    expect(after).toEqual(before);

    await helm('uninstall', 'ledgerhouse', ...installArgs);
    const kept = await helm('uninstall', 'ledgerhouse-crds', ...installArgs);
    expect(kept).toContain('[CustomResourceDefinition] ledgerdatabases.ledgerhouse.dev');
    expect(await crdNames()).toEqual(definitionNames);
    expect(await databaseNames()).toEqual(['ledgerdatabase.ledgerhouse.dev/payments']);
    expect(await kubectl('get', 'lcat', '-o', 'name')).toContain('default');

    // And installing again takes over what was left.
    await helm('install', 'ledgerhouse-crds', definitions, ...installArgs);
    await helm('install', 'ledgerhouse', chart, ...installArgs);
    expect(await databaseNames()).toEqual(['ledgerdatabase.ledgerhouse.dev/payments']);
  });

  test('every definition is kept by its own annotation', () => {
    for (const name of plurals) {
      const [object] = documentsOf(readFileSync(`${definitions}/templates/${name}.yaml`, 'utf8'));
      expect(object?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    }
  });
});
