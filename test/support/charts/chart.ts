/** The chart `ledgerhouse` as Helm renders it, and a real API server that takes what was rendered. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { startControlPlane } from '../../../tools/cluster/control-plane.ts';
import { mustRun, shell, type Ended } from '../shell.ts';

const chartFolder = 'charts/ledgerhouse';
export const chartNamespace = 'ledgerhouse-system';

export interface Chart {
  readonly folder: string;
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Path of the kubectl program. */
  readonly kubectlPath: string;
  /** As `helm template` renders it with these values. */
  rendered(values?: object): Promise<Rendered[]>;
  /** Helm's exit code and words for these values. */
  tryRender(values: object): Promise<Ended>;
  kubectl(...args: string[]): Promise<string>;
  tryKubectl(...args: string[]): Promise<Ended>;
  /** Has the API server take objects; `dryRun`: it checks them as it would, and keeps none. */
  apply(objects: readonly object[], options?: { readonly dryRun?: boolean }): Promise<string>;
  /** A kubeconfig of a service account of the chart's namespace. */
  kubeconfigOf(account: string): Promise<string>;
  stop(): Promise<void>;
}

export interface Rendered extends KubeObject {
  readonly spec?: unknown;
  readonly rules?: unknown;
}

/** With a control plane and both charts' custom resources. */
export async function startChart(): Promise<Chart> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-chart-'));
  const plane = await startControlPlane({ controllerManager: true });
  const find = async (name: string) => {
    const printed = await mustRun(process.execPath, ['tools/cluster/main.ts', 'binary', name]);
    return printed.trim().split('\n').at(-1) ?? '';
  };
  const programs = { helm: await find('helm'), kubectl: await find('kubectl') };
  const env = { KUBECONFIG: plane.kubeconfig, HELM_CACHE_HOME: join(folder, 'cache') };
  const kubectl = (...args: string[]) => mustRun(programs.kubectl, args, { env });
  const fileOf = (name: string, content: object) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const template = (values: object) => {
    const place = ['-n', chartNamespace, '-f', fileOf('values.json', values)];
    return shell(programs.helm, ['template', 'ledgerhouse', chartFolder, ...place], { env });
  };
  await kubectl('create', 'namespace', chartNamespace);
  return {
    folder,
    kubeconfig: plane.kubeconfig,
    kubectlPath: programs.kubectl,
    async rendered(values = {}) {
      const { code, stdout, stderr } = await template(values);
      if (code !== 0) throw new Error(stderr);
      return parseAllDocuments(stdout)
        .map((document) => document.toJS() as Rendered | null)
        .filter((object) => object !== null);
    },
    tryRender: template,
    kubectl,
    tryKubectl: (...args) => shell(programs.kubectl, args, { env }),
    apply: (objects, { dryRun = false } = {}) => {
      const file = fileOf('objects.json', { apiVersion: 'v1', kind: 'List', items: objects });
      const how = dryRun ? ['--dry-run=server'] : ['--server-side'];
      return kubectl('apply', ...how, '--validate=strict', '-f', file);
    },
    async kubeconfigOf(account) {
      const token = await kubectl('-n', chartNamespace, 'create', 'token', account);
      const config = JSON.parse(
        await kubectl('config', 'view', '--raw', '--flatten', '-o', 'json'),
      ) as { users: { user: object }[] };
      for (const row of config.users) row.user = { token: token.trim() };
      return fileOf(`${account}.json`, config);
    },
    async stop() {
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which kind's shape it is
export function findObject<T = Rendered>(
  objects: readonly Rendered[],
  kind: string,
  name?: string,
): T {
  const found = objects.find(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
  if (found === undefined) throw new Error(`no ${kind} ${name ?? ''}`);
  return found as T;
}
