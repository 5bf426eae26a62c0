/**
 * `node tools/cluster/addons/main.ts SETTINGS.json`: the usual add-ons of a cluster, in one process for all nodes of a native
 * cluster: the storage driver, the provisioner of volumes, the enforcer of NetworkPolicies.
 */
import { readFileSync } from 'node:fs';
import { clusterAccessOf } from '../../../base/kube/cluster-access.ts';
import { createKube } from '../../../base/kube/kube-http.ts';
import { Enforcer } from '../policies/enforcer.ts';
import { Backing } from '../volumes/backing.ts';
import { serveNode } from '../volumes/driver.ts';
import { Provisioner } from '../volumes/provisioner.ts';
import { Changes } from './changes.ts';

export interface AddonsSettings {
  readonly kubeconfig: string;
  /** Folder of the network volumes' images. */
  readonly images: string;
  /** Address of CoreDNS. It is a process of the machine; policies treat it as the pods that it usually is. */
  readonly dnsAddress: string;
  readonly nodes: readonly {
    readonly name: string;
    readonly folder: string;
    readonly kubeletFolder: string;
    readonly runFolder: string;
    readonly networkNamespace: string;
  }[];
}

/** The shortest time between two looks at what has changed. */
const lookEveryMs = 500;
/** Longest time between two checks for changes that no watch reports, such as a file that is no longer in use. */
const lookAtLeastEveryMs = 15_000;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as AddonsSettings;
const log = (message: string) => console.log(`${new Date().toISOString()} ${message}`);
const backing = new Backing(settings.images, (name) => {
  const node = settings.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  return node.folder;
});
for (const node of settings.nodes) await serveNode(node, backing);

const dns = {
  namespace: 'kube-system',
  name: 'coredns',
  labels: { 'k8s-app': 'kube-dns' },
  ip: settings.dnsAddress,
  node: '',
  ports: { 'UDP/dns': 53, 'TCP/dns-tcp': 53 },
};
// One pool of connections: a handshake for each question costs more than the question.
const kube = createKube(await clusterAccessOf(settings.kubeconfig));
const provisioner = new Provisioner(kube, backing, log);
const enforcer = new Enforcer(kube, settings.nodes, [dns]);
log(`serving ${settings.nodes.map((node) => node.name).join(', ')}`);
await Promise.all([
  forever('volumes', new Changes(kube, provisioner.kinds), () => provisioner.look()),
  forever('policies', new Changes(kube, enforcer.kinds), () => enforcer.look()),
]);

async function forever(
  what: string,
  changes: Changes,
  look: () => Promise<boolean>,
): Promise<never> {
  for (let lookedAt = 0; ; await new Promise((resolve) => setTimeout(resolve, lookEveryMs))) {
    if (!changes.take() && performance.now() - lookedAt < lookAtLeastEveryMs) continue;
    lookedAt = performance.now();
    try {
      if (!(await look())) changes.again();
    } catch (error) {
      changes.again();
      log(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
