/**
 * Builds the programs of the local Kubernetes from Go modules, at the versions that `modules/<group>/go.mod` pins and `go.sum`
 * verifies. They are kept in the user's cache: `bin/<group>-<hash>/<name>`; the hash covers all inputs.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, checkout, ClusterError } from './config.ts';
import { withLock } from './lock.ts';
import { step } from './progress.ts';
import { run } from './run.ts';

interface Group {
  /** Map from the executable's name to its Go package. */
  readonly programs: Readonly<Record<string, string>>;
  /** The module whose version is passed to `ldflags`. */
  readonly module: string;
  readonly ldflags?: (version: string) => readonly string[];
}

const kubernetes = (name: string) => `k8s.io/kubernetes/cmd/${name}`;

/** Each group is built from its own go.mod, so that the dependencies of groups need not agree. */
export const groups = {
  etcd: { programs: { etcd: 'go.etcd.io/etcd/server/v3' }, module: 'go.etcd.io/etcd/server/v3' },
  'control-plane': {
    programs: {
      'kube-apiserver': kubernetes('kube-apiserver'),
      'kube-controller-manager': kubernetes('kube-controller-manager'),
    },
    module: 'k8s.io/kubernetes',
    ldflags: kubernetesVersion,
  },
  node: {
    programs: {
      'kube-scheduler': kubernetes('kube-scheduler'),
      kubectl: kubernetes('kubectl'),
      kubelet: kubernetes('kubelet'),
      'kube-proxy': kubernetes('kube-proxy'),
    },
    module: 'k8s.io/kubernetes',
    ldflags: kubernetesVersion,
  },
  coredns: {
    programs: { coredns: '.' },
    module: 'github.com/coredns/coredns',
  },
  pause: { programs: { pause: '.' }, module: '' },
  helm: { programs: { helm: 'helm.sh/helm/v4/cmd/helm' }, module: 'helm.sh/helm/v4' },
  // Fake nodes and pods, for fleets of thousands.
  kwok: { programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' }, module: 'sigs.k8s.io/kwok' },
  // An S3 server over a folder.
  versitygw: {
    programs: { versitygw: 'github.com/versity/versitygw/cmd/versitygw' },
    module: 'github.com/versity/versitygw',
  },
  // A server that speaks Kafka's protocol.
  kfake: { programs: { kfake: '.' }, module: '' },
  'stripe-mock': {
    programs: { 'stripe-mock': 'github.com/stripe/stripe-mock' },
    module: 'github.com/stripe/stripe-mock',
  },
} as const satisfies Record<string, Group>;
export type GroupName = keyof typeof groups;

/** Groups that a native cluster needs, in build order, slowest first. Other groups are built on request. */
export const clusterGroups = ['control-plane', 'node', 'etcd', 'coredns'] as const;

/** Clients and kubectl read the version that is set here; without it the server reports v0.0.0. */
function kubernetesVersion(version: string): readonly string[] {
  const [major, minor] = version.slice(1).split('.');
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `-X ${path}.gitVersion=${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
    `-X ${path}.gitTreeState=clean`,
  ]);
}

const modules = join(import.meta.dirname, 'modules');

/** Both Kubernetes groups share one go.mod, so that they share compiled packages. */
const moduleFolder = (group: GroupName) =>
  join(modules, group === 'control-plane' || group === 'node' ? 'kubernetes' : group);

/** Builds a group unless it is cached. Returns the path of each of its programs. */
export async function ensureBuilt(group: GroupName): Promise<Readonly<Record<string, string>>> {
  const { programs }: Group = groups[group];
  const folder = join(cacheFolder, 'bin', `${group}-${hashOf(group)}`);
  const paths = Object.fromEntries(Object.keys(programs).map((name) => [name, join(folder, name)]));
  if (existsSync(folder)) return paths;
  mkdirSync(join(cacheFolder, 'bin'), { recursive: true });
  await withLock(join(cacheFolder, `build-${group}.lock`), async () => {
    // Another invocation may have built it while this one waited.
    if (!existsSync(folder)) await build(group, folder);
  });
  return paths;
}

/** Returns the path of one program; builds it if necessary. */
export async function ensureProgram(name: string): Promise<string> {
  for (const group of Object.keys(groups) as GroupName[]) {
    if (name in groups[group].programs) return (await ensureBuilt(group))[name] ?? '';
  }
  const known = Object.values(groups).flatMap((group) => Object.keys(group.programs));
  throw new ClusterError(`no program ${name}; there are ${known.join(', ')}`);
}

async function build(group: GroupName, folder: string): Promise<void> {
  const { programs, module, ldflags }: Group = groups[group];
  const started = Date.now();
  // The name marks the folder as incomplete; the remains of a killed build are removed.
  const unfinished = `${folder}.unfinished-${process.pid}`;
  for (const name of readdirSync(join(folder, '..'))) {
    if (name.startsWith(`${group}-`) && name.includes('.unfinished-')) {
      rmSync(join(folder, '..', name), { recursive: true, force: true });
    }
  }
  mkdirSync(unfinished, { recursive: true });
  const cwd = moduleFolder(group);
  const version =
    module === '' ? '' : (await go(['list', '-m', '-f', '{{.Version}}', module], cwd)).trim();
  const names = Object.keys(programs);
  step(`building ${names.join(', ')} ${version} (once; minutes when Go's build cache is cold)`);
  const ticker = setInterval(() => {
    step(`still building ${names.join(', ')} (${Math.round((Date.now() - started) / 1000)} s)`);
  }, 30_000);
  try {
    const linked = ['-s', '-w', ...(ldflags?.(version) ?? [])].join(' ');
    // What is linked without debug information is compiled without it.
    const flags = ['-trimpath', '-gcflags=all=-dwarf=false', '-ldflags', linked];
    for (const [name, path] of Object.entries(programs)) {
      await go(['build', ...flags, '-o', join(unfinished, name), path], cwd);
    }
    renameSync(unfinished, folder);
  } finally {
    clearInterval(ticker);
  }
  step(`built ${names.join(', ')} in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function go(args: readonly string[], cwd: string): Promise<string> {
  return run(await goProgram(), args, {
    cwd,
    timeoutMs: 40 * 60_000,
    env: {
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=readonly -buildvcs=false',
      // The compiler's own garbage is a seventh of its processor time. Above the limit it is collected as usual.
      GOGC: '400',
      GOMEMLIMIT: '2GiB',
    },
  });
}

/** Path of a sufficiently new Go; installed into the user's cache if the machine has none. */
export async function goProgram(): Promise<string> {
  try {
    return (await run(join(checkout, 'tools/setup/go.sh'), [], { timeoutMs: 10 * 60_000 })).trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterError(`the native local Kubernetes is built with Go: ${reason}`, {
      cause: error,
    });
  }
}

function hashOf(group: GroupName): string {
  const hash = createHash('sha256');
  const folder = moduleFolder(group);
  for (const file of readdirSync(folder).sort()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(folder, file)));
  }
  hash.update(JSON.stringify(groups[group])).update(process.arch);
  return hash.digest('hex').slice(0, 12);
}
