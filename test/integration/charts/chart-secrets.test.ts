/** The Secrets that the chart generates: made once, kept for ever, or brought by whoever installs it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  chartNamespace,
  findObject,
  startChart,
  type Chart,
  type Rendered,
} from '../../support/charts/chart.ts';
import { mustRun, shell } from '../../support/shell.ts';

const everything = { api: { enabled: true }, s3: { enabled: true } };
const generated = [
  'ledgerhouse-api',
  'ledgerhouse-bootstrap-token',
  'ledgerhouse-postgres',
  'ledgerhouse-s3',
];

let chart: Chart;
beforeAll(async () => {
  chart = await startChart();
});
afterAll(() => chart?.stop());

interface SecretsJob {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly args: readonly string[] }[];
      };
    };
  };
}
const argsOf = (objects: readonly Rendered[]) =>
  findObject<SecretsJob>(objects, 'Job', 'ledgerhouse-secrets').spec.template.spec.containers[0]
    ?.args ?? [];

const contents = async () => {
  const printed = await chart.kubectl('-n', chartNamespace, 'get', 'secrets', '-o', 'json');
  const { items } = JSON.parse(printed) as {
    items: {
      metadata: { name: string; annotations?: Record<string, string> };
      data: Record<string, string>;
    }[];
  };
  return Object.fromEntries(
    items
      .filter(({ metadata }) => generated.includes(metadata.name))
      .map(({ metadata, data }) => [metadata.name, { data, annotations: metadata.annotations }]),
  );
};

/** The Job's program, as the chart's own account for it. */
async function runJob(objects: readonly Rendered[]): Promise<void> {
  const env = { KUBECONFIG: await chart.kubeconfigOf('ledgerhouse-secrets') };
  await mustRun(process.execPath, ['operator/make-secrets.ts', ...argsOf(objects)], { env });
}

test('rendering the chart twice gives the same objects, and no Secret among them', async () => {
  const [first, second] = [await chart.rendered(everything), await chart.rendered(everything)];
  expect(second).toEqual(first);
  expect(first.filter(({ kind }) => kind === 'Secret')).toEqual([]);
});

test('an installation creates the missing Secrets, and a further sync or upgrade changes none of them', async () => {
  const objects = await chart.rendered(everything);
  const theirs = objects.filter(({ metadata }) => metadata.name === 'ledgerhouse-secrets');
  await chart.apply(theirs);
  // As an earlier release of the chart made it, a part of the release.
  const old = ['secret', 'generic', 'ledgerhouse-api', '--from-literal=signing-key=as-it-was'];
  await chart.kubectl('-n', chartNamespace, 'create', ...old);

  await runJob(objects);
  const made = await contents();
  expect(Object.keys(made).toSorted()).toEqual(generated);
  const text = (name: string, key: string) =>
    Buffer.from(made[name]?.data[key] ?? '', 'base64').toString();
  expect(text('ledgerhouse-api', 'signing-key')).toBe('as-it-was');
  expect(text('ledgerhouse-bootstrap-token', 'token')).toMatch(/^lhb_[A-Za-z0-9]{40}$/);
  expect(text('ledgerhouse-postgres', 'url')).toBe(
    `postgres://ledgerhouse:${text('ledgerhouse-postgres', 'password')}@ledgerhouse-postgres.${chartNamespace}.svc:5432/ledgerhouse`,
  );
  expect(text('ledgerhouse-s3', 'secretAccessKey')).toHaveLength(40);
  // Helm would delete what a former release held and this one does not.
  for (const { annotations } of Object.values(made)) {
    expect(annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
  }

  await runJob(objects);
  expect(await contents()).toEqual(made);
});

test("the Job's account can read no Secret, and can change none but those that the chart generates", async () => {
  const as = `--as=system:serviceaccount:${chartNamespace}:ledgerhouse-secrets`;
  const can = async (verb: string, what: string) => {
    const { stdout } = await chart.tryKubectl(
      '-n',
      chartNamespace,
      'auth',
      'can-i',
      verb,
      what,
      as,
    );
    return stdout.trim();
  };
  expect(await can('create', 'secrets')).toBe('yes');
  expect(await can('patch', 'secrets/ledgerhouse-api')).toBe('yes');
  expect(await can('patch', 'secrets/another')).toBe('no');
  for (const verb of ['get', 'list', 'watch', 'update', 'delete']) {
    expect(await can(verb, 'secrets/ledgerhouse-api')).toBe('no');
  }
});

test('every generated Secret can be an existing one, and then nothing is generated', async () => {
  const own = {
    api: {
      enabled: true,
      bootstrapTokenSecret: 'my-token',
      signingKeySecret: 'my-key',
      postgres: { passwordSecret: 'my-postgres' },
    },
    s3: { enabled: true, credentialsSecret: 'my-s3' },
  };
  const objects = await chart.rendered(own);
  expect(objects.filter(({ metadata }) => metadata.name === 'ledgerhouse-secrets')).toEqual([]);
  const text = JSON.stringify(objects);
  for (const name of ['my-token', 'my-key', 'my-postgres', 'my-s3']) expect(text).toContain(name);
  for (const name of generated) {
    expect(text).not.toContain(`"secretName":"${name}"`);
    expect(text).not.toContain(`"secretKeyRef":{"name":"${name}"`);
  }
  const { api } = own;
  const brought = { ...own, api: { ...api, postgres: { urlSecret: 'my-url' } } };
  expect(JSON.stringify(await chart.rendered(brought))).not.toContain('ledgerhouse-postgres');
});

test('a Job without rights says so and fails, and Kubernetes tries again', async () => {
  await chart.kubectl('-n', chartNamespace, 'delete', 'rolebinding', 'ledgerhouse-secrets');
  const env = { KUBECONFIG: await chart.kubeconfigOf('ledgerhouse-secrets') };
  const args = ['operator/make-secrets.ts', `--namespace=${chartNamespace}`, '--s3=another'];
  const { code, stdout } = await shell(process.execPath, args, { env });
  expect([code, stdout]).toEqual([1, expect.stringContaining('forbidden')]);
});
