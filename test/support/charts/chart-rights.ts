/** The rights that the chart gives, on a real control plane: roles as they are rendered, and who has them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { OperatorWorld } from '../operator/operator-world.ts';
import { mustRun } from '../shell.ts';

/** Where operator and API are installed. */
export const home = 'ledgerhouse-system';

interface Role extends KubeObject {
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** One request that a process has made, as it counts them itself. */
interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly code: string;
}

export class ChartRights {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-rights-'));
  readonly #world: OperatorWorld;
  #programs = { helm: '', kubectl: '' };

  readonly #values: readonly string[];

  private constructor(world: OperatorWorld, values: readonly string[]) {
    this.#world = world;
    this.#values = values;
  }

  /** Makes the namespace that all is installed in. `values`: of the chart, as `--set` takes them; its own when absent. */
  static async prepare(world: OperatorWorld, values: readonly string[] = []): Promise<ChartRights> {
    const rights = new ChartRights(world, values);
    const find = async (name: string) => {
      const printed = await mustRun(process.execPath, ['tools/cluster/main.ts', 'binary', name]);
      return printed.trim().split('\n').at(-1) ?? '';
    };
    rights.#programs = { helm: await find('helm'), kubectl: await find('kubectl') };
    await world.createNamespace(home);
    return rights;
  }

  /** One template of the chart, as it is rendered. */
  async templateOf(path: string): Promise<Role[]> {
    const chart = 'charts/ledgerhouse';
    const args = ['template', 'ledgerhouse', chart, '--namespace', home, '--show-only', path];
    const sets = this.#values.map((value) => `--set=${value}`);
    const text = await mustRun(this.#programs.helm, [...args, ...sets]);
    return parseAllDocuments(text)
      .map((document) => document.toJS() as Role | null)
      .filter((object) => object !== null);
  }

  async applyTemplate(path: string, wanted: (object: Role) => boolean = () => true): Promise<void> {
    const file = join(this.#folder, 'template.json');
    const items = (await this.templateOf(path)).filter(wanted);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await this.#kubectl('apply', '-f', file);
  }

  /** With a token as the kubelet would mount it. */
  async kubeconfigOf(account: string): Promise<string> {
    const token = (await this.#kubectl('-n', home, 'create', 'token', account)).trim();
    const administrators = new KubeConfig();
    administrators.loadFromFile(this.#world.plane.kubeconfig);
    const cluster = administrators.getCurrentCluster();
    if (cluster === null) throw new Error('no cluster');
    const config = new KubeConfig();
    config.loadFromClusterAndUser(cluster, { name: account, token });
    const path = join(this.#folder, `${account}.kubeconfig`);
    writeFileSync(path, config.exportConfig(), { mode: 0o600 });
    return path;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #kubectl(...args: string[]): Promise<string> {
    return mustRun(this.#programs.kubectl, ['--kubeconfig', this.#world.plane.kubeconfig, ...args]);
  }
}

/** Each right of the roles as `verb resource`. */
export const rightsIn = (roles: readonly Role[]): string[] =>
  roles.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) => {
      const suffix = apiGroups.includes('metrics.k8s.io') ? '.metrics.k8s.io' : '';
      return resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}${suffix}`));
    }),
  );

/** As RBAC sees a request: an apply that made something was a creation, too. */
export const rightsOf = ({ verb, resource, code }: Asked): string[] =>
  verb === 'patch' && code === '201'
    ? [`${verb} ${resource}`, `create ${resource}`]
    : [`${verb} ${resource}`];

/** The value of counter `name` at `url`. */
export async function askedOf(url: string, name: string): Promise<Asked[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').flatMap((line) => {
    const [, found, count] = new RegExp(`^${name}\\{(.+)\\} (\\d+)$`).exec(line) ?? [];
    if (found === undefined || Number(count) === 0) return [];
    const pairs = [...found.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]);
    return [Object.fromEntries(pairs) as Asked];
  });
}
