/** The operator's configuration, from the environment. An unknown variable with our prefix is a mistake. */
import { hostname } from 'node:os';
import type { BackupStore, StoreSecrets } from './store/backup-store.ts';
import { parseHostPort, type HostPort } from '../base/host-port.ts';

export interface Config {
  /** Namespace of the operator, the API and the Lease. */
  readonly namespace: string;
  /** Identity of this replica among the operators, for the Lease. */
  readonly identity: string;
  readonly listen: HostPort;
  /** Maximum number of databases in work at a time. */
  readonly concurrency: number;
  /** Maximum requests a second to the Kubernetes API, without watches and the lease. */
  readonly requestsPerSecond: number;
  readonly logLevel: string;
  /** Seccomp profile with which TigerBeetle's pods may use io_uring: one that is installed on the nodes, or none. */
  readonly tigerbeetleSeccomp: 'localhost' | 'unconfined';
  /** Whether the cluster assigns users to pods; `detect` asks the API server for OpenShift's API group. */
  readonly openshift: (typeof openshiftChoices)[number];
  /** Namespaces to look after; empty: all. */
  readonly watchNamespaces: readonly string[];
  /** The bucket that backups are in, and the folder of its credentials; absent: no backups can be made. */
  readonly store:
    | (Omit<BackupStore, keyof StoreSecrets> & { readonly credentials: string })
    | undefined;
}

const openshiftChoices = ['detect', 'yes', 'no'] as const;

const prefix = 'LEDGERHOUSE_OPERATOR_';
const names = [
  'NAMESPACE',
  'IDENTITY',
  'LISTEN',
  'CONCURRENCY',
  'REQUESTS_PER_SECOND',
  'LOG_LEVEL',
  'TIGERBEETLE_SECCOMP',
  'OPENSHIFT',
  'WATCH_NAMESPACES',
  'STORE_URL',
  'STORE_ENDPOINT',
  'STORE_REGION',
  'STORE_CREDENTIALS',
] as const;

class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  for (const name of Object.keys(environment)) {
    if (name.startsWith(prefix) && !names.some((known) => name === `${prefix}${known}`)) {
      throw new ConfigError(
        `no setting ${name}; there are ${names.map((one) => prefix + one).join(', ')}`,
      );
    }
  }
  const read = (name: (typeof names)[number], fallback: string) =>
    environment[`${prefix}${name}`] ?? fallback;
  const seccomp = read('TIGERBEETLE_SECCOMP', 'localhost');
  if (seccomp !== 'localhost' && seccomp !== 'unconfined') {
    throw new ConfigError(
      `${prefix}TIGERBEETLE_SECCOMP must be localhost or unconfined, not ${seccomp}`,
    );
  }
  const openshift = openshiftChoices.find((one) => one === read('OPENSHIFT', 'detect'));
  if (openshift === undefined) {
    throw new ConfigError(
      `${prefix}OPENSHIFT must be ${openshiftChoices.join(', ')}, not ${read('OPENSHIFT', '')}`,
    );
  }
  const level = read('LOG_LEVEL', 'info');
  if (!['debug', 'info', 'warn', 'error'].includes(level)) {
    throw new ConfigError(`${prefix}LOG_LEVEL must be debug, info, warn or error, not ${level}`);
  }
  return {
    namespace: read('NAMESPACE', 'ledgerhouse-system'),
    identity: read('IDENTITY', `${hostname()}-${process.pid}`),
    listen: address(read('LISTEN', '127.0.0.1:8080')),
    concurrency: count('CONCURRENCY', read('CONCURRENCY', '10')),
    requestsPerSecond: count('REQUESTS_PER_SECOND', read('REQUESTS_PER_SECOND', '100')),
    logLevel: level,
    tigerbeetleSeccomp: seccomp,
    openshift,
    watchNamespaces: namespaces(read('WATCH_NAMESPACES', '')),
    store: storeOf(read),
  };
}

function storeOf(
  read: (name: (typeof names)[number], fallback: string) => string,
): Config['store'] {
  const url = read('STORE_URL', '');
  if (url === '') return undefined;
  if (!/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^\s]*)?$/.test(url)) {
    throw new ConfigError(
      `${prefix}STORE_URL must be s3://BUCKET or s3://BUCKET/PREFIX, not ${url}`,
    );
  }
  const endpoint = read('STORE_ENDPOINT', '');
  if (endpoint !== '' && !/^https?:\/\/[^/\s]+$/.test(endpoint)) {
    throw new ConfigError(
      `${prefix}STORE_ENDPOINT must be http(s)://HOST or http(s)://HOST:PORT, not ${endpoint}`,
    );
  }
  const credentials = read('STORE_CREDENTIALS', '');
  if (credentials === '') {
    throw new ConfigError(
      `${prefix}STORE_CREDENTIALS must name a folder with the files access-key-id and secret-access-key`,
    );
  }
  const region = read('STORE_REGION', 'us-east-1');
  return { url, ...(endpoint === '' ? {} : { endpoint }), region, credentials };
}

function address(text: string): HostPort {
  const address = parseHostPort(text);
  if (address !== undefined) return address;
  throw new ConfigError(`${prefix}LISTEN must be HOST:PORT, not ${text}`);
}

function namespaces(text: string): readonly string[] {
  const all = text === '' ? [] : text.split(',');
  const wrong = all.find((one) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(one));
  if (wrong !== undefined) {
    throw new ConfigError(
      `${prefix}WATCH_NAMESPACES must be a comma-separated list of namespaces, not "${text}"`,
    );
  }
  return [...new Set(all)];
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new ConfigError(`${prefix}${name} must be a number from 1 to 999, not ${text}`);
  }
  return Number(text);
}
