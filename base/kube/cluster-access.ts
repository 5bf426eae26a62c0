/**
 * The way to the API server: the pod's service account, or a kubeconfig. Importing client-node takes 35 MiB of memory for types of
 * all kinds that nobody here uses: so what every cluster has, certificates and tokens, is read here, and client-node is
 * imported only for the rest, such as programs that log in and proxies.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { z } from 'zod';

/** A `KubeConfig` of client-node is one. */
export interface ClusterAccess {
  getCurrentCluster(): Cluster | null;
  /** Adds the credentials as they are now. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  createDispatcherOptions(
    cluster: Cluster | null,
    tls: RequestOptions,
  ): ReturnType<KubeConfig['createDispatcherOptions']>;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Folder that a kubelet mounts the service account in. */
  readonly serviceAccount: string;
}

const ownSurroundings = (): Surroundings => ({
  // oxlint-disable-next-line node/no-process-env -- the variables that every client of Kubernetes reads
  env: process.env,
  home: homedir(),
  serviceAccount,
});

/** Loads as client-node and kubectl do: KUBECONFIG, then the file of the user, then the service account. */
export async function loadClusterAccess(
  { env, home, serviceAccount: folder }: Surroundings = ownSurroundings(),
): Promise<ClusterAccess> {
  const { KUBECONFIG = '', KUBERNETES_SERVICE_HOST: host = '' } = env;
  const own = join(home, '.kube', 'config');
  const file = KUBECONFIG === '' && existsSync(own) ? own : KUBECONFIG;
  if (file !== '') return (await fromFile(file)) ?? byClientNode();
  if (!existsSync(join(folder, 'token')) || host === '') return byClientNode();
  const { KUBERNETES_SERVICE_PORT: port = '443' } = env;
  return accessOf({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: { file: join(folder, 'ca.crt') },
    token: { file: join(folder, 'token') },
  });
}

/** The way to the cluster that a plain kubeconfig names. */
export async function clusterAccessOf(kubeconfig: string): Promise<ClusterAccess> {
  const access = await fromFile(kubeconfig);
  if (access === undefined) throw new Error(`${kubeconfig} is no plain kubeconfig`);
  return access;
}

async function byClientNode(): Promise<ClusterAccess> {
  const { KubeConfig: Loaded } = await import('@kubernetes/client-node');
  const config = new Loaded();
  config.loadFromDefault();
  return config;
}

type Content = { readonly file: string } | { readonly text: string };

interface Plain {
  readonly server: string;
  readonly serverName?: string | undefined;
  readonly ca?: Content | undefined;
  readonly certificate?: Content | undefined;
  readonly key?: Content | undefined;
  readonly token?: Content | undefined;
}

/** Files are read each time: tokens and certificates are replaced. */
function accessOf(plain: Plain): ClusterAccess {
  const cluster: Cluster = { name: 'current', server: plain.server, skipTLSVerify: false };
  return {
    getCurrentCluster: () => cluster,
    applyToHTTPSOptions: async (options) => {
      const [ca, cert, key, token] = await Promise.all(
        [plain.ca, plain.certificate, plain.key, plain.token].map(textOf),
      );
      if (ca !== undefined) options.ca = ca;
      if (cert !== undefined) options.cert = cert;
      if (key !== undefined) options.key = key;
      if (plain.serverName !== undefined) options.servername = plain.serverName;
      if (token !== undefined) {
        const headers = options.headers as OutgoingHttpHeaders | undefined;
        options.headers = { ...headers, Authorization: `Bearer ${token.trim()}` };
      }
    },
    // Keeps connections alive for less than the minute after which balancers drop idle ones.
    createDispatcherOptions: (_, tls) => ({
      type: 'agent',
      connect: { ...(tls as ConnectionOptions), keepAlive: true, keepAliveInitialDelay: 30_000 },
    }),
  };
}

const textOf = async (content: Content | undefined): Promise<string | undefined> =>
  content === undefined || 'text' in content ? content?.text : await readFile(content.file, 'utf8');

const named = <Key extends string, Shape extends z.ZodType>(key: Key, shape: Shape) =>
  z.array(
    z.object({ name: z.string(), [key]: shape } as { name: z.ZodString } & Record<Key, Shape>),
  );

/** The fields that are understood here; any other one is left to client-node. */
const fileSchema = z.object({
  'current-context': z.string(),
  contexts: named('context', z.object({ cluster: z.string(), user: z.string() })),
  clusters: named(
    'cluster',
    z.strictObject({
      server: z.string().startsWith('https://'),
      'certificate-authority': z.string().optional(),
      'certificate-authority-data': z.string().optional(),
      'tls-server-name': z.string().optional(),
    }),
  ),
  users: named(
    'user',
    z.strictObject({
      'client-certificate': z.string().optional(),
      'client-certificate-data': z.string().optional(),
      'client-key': z.string().optional(),
      'client-key-data': z.string().optional(),
      token: z.string().optional(),
      tokenFile: z.string().optional(),
    }),
  ),
});

/** Returns `undefined` for whatever is not plainly one cluster with certificates and tokens. */
async function fromFile(path: string): Promise<ClusterAccess | undefined> {
  if (path.includes(delimiter)) return undefined;
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const read = fileSchema.safeParse(text === undefined ? undefined : parse(text));
  if (!read.success) return undefined;
  const { contexts, clusters, users } = read.data;
  const context = contexts.find(({ name }) => name === read.data['current-context'])?.context;
  const cluster = clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = users.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined) return undefined;
  const content = (data: string | undefined, file: string | undefined): Content | undefined => {
    if (data !== undefined) return { text: Buffer.from(data, 'base64').toString('utf8') };
    return file === undefined ? undefined : { file: resolve(dirname(path), file) };
  };
  return accessOf({
    server: cluster.server,
    serverName: cluster['tls-server-name'],
    ca: content(cluster['certificate-authority-data'], cluster['certificate-authority']),
    certificate: content(user['client-certificate-data'], user['client-certificate']),
    key: content(user['client-key-data'], user['client-key']),
    token: user.token === undefined ? content(undefined, user.tokenFile) : { text: user.token },
  });
}
