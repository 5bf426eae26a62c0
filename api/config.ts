/** Configuration of API and worker, from the environment. Unknown names of ours are errors. Secrets, except in the URL, are in files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseHostPort, type HostPort } from '../base/host-port.ts';
import { documentDefaults } from './contract/document-defaults.ts';
import type { DocumentOptions } from './contract/document.ts';
import type { BillingSettings } from './billing/settings.ts';
import type { StagingSettings } from './imports/staging-store.ts';
import type { ProviderSettings } from './sign-in/identity-provider.ts';
import {
  podSecurityLevels,
  quotaFor,
  type NamespaceDefaults,
} from './kubernetes/namespace-defaults.ts';
import { rowsMax } from './ledger/operations.ts';
import type { MailSettings } from './mail/transport.ts';
import { poolDefaults } from './store/pool.ts';
import { SigningKeys } from './store/signing-keys.ts';
import { bodyLimitDefaults } from './http/body-budget.ts';
import type { ByteLimits } from './http/held-bytes.ts';
import { rateLimitDefaults, type RateLimitSettings } from './http/rate-limits.ts';

export interface Config {
  /** Namespace of the API, the operator and the operator's Lease. */
  readonly namespace: string;
  /** Identity of this process among all, for leases of jobs and heartbeats. */
  readonly identity: string;
  /** `postgres://` URL of the store. */
  readonly databaseUrl: string;
  /** Maximum number of this process's connections to PostgreSQL. */
  readonly databaseConnections: number;
  readonly listen: HostPort;
  readonly healthListen: HostPort;
  /** URL at which clients reach the API, without a path. Empty: the address that each request names. */
  readonly publicUrl: string;
  readonly logLevel: string;
  readonly bootstrapTokenFile: string | undefined;
  /** Keys that sign cursors and audit events and seal secrets. All processes have the same ones. */
  readonly signingKeys: SigningKeys;
  /** The identity provider at which people sign in. `undefined`: only the local administrator can sign in. */
  readonly identityProvider: ProviderSettings | undefined;
  /** Whether the workers send mail. */
  readonly mails: boolean;
  /** Settings with which a worker sends mail; an API process needs none. */
  readonly mail: MailSettings | undefined;
  /** Address ranges that are not public but may get webhooks, also without TLS. */
  readonly webhookRanges: readonly string[];
  readonly billing: BillingSettings;
  /** Whether the operator has a store for backups. */
  readonly backups: boolean;
  /** Store in which files of imports are staged. `undefined`: the service accepts none. */
  readonly imports: ImportSettings | undefined;
  /** Maximum number of an organization's databases; deleted ones count until they are purged. */
  readonly databasesMax: number;
  /** Pod security and quota that the namespace of a new organization starts with. */
  readonly namespaceDefaults: NamespaceDefaults;
  readonly limits: RateLimitSettings;
  readonly bodyLimits: ByteLimits;
  /** Maximum number of connections from one address, except from proxies. */
  readonly connectionsPerAddress: number;
  /** Proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Server addresses in the OpenAPI document; empty: this installation's own address. */
  readonly servers: DocumentOptions['servers'];
  /** Collector of traces of requests. `undefined`: there are none. */
  readonly traces: TraceSettings | undefined;
  /** Notice of the operators to everybody who is signed in. `undefined`: none. */
  readonly notice: string | undefined;
  /** Folder of the built dashboard. `undefined`: there is no dashboard. */
  readonly dashboardFolder: string | undefined;
}

interface ImportSettings {
  readonly store: StagingSettings;
  /** Maximum of the bytes of an organization's imports; `undefined`: what the catalog's largest storage holds. */
  readonly bytesMax: number | undefined;
}

interface TraceSettings {
  /** Address of the collector, without a path. */
  readonly endpoint: string;
  /** Part of the requests that is recorded unless their callers decide: 0 to 1. */
  readonly share: number;
}

const prefix = 'LEDGERHOUSE_API_';
const names = [
  'NAMESPACE',
  'IDENTITY',
  'DATABASE_URL',
  'DATABASE_CONNECTIONS',
  'LISTEN',
  'HEALTH_LISTEN',
  'PUBLIC_URL',
  'LOG_LEVEL',
  'BOOTSTRAP_TOKEN_FILE',
  'SIGNING_KEY_FILE',
  'OTHER_SIGNING_KEYS_FOLDER',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET_FILE',
  'MAIL_SMTP_URL_FILE',
  'MAIL_FOLDER',
  'MAIL_FROM',
  'WEBHOOK_RANGES',
  'BACKUPS',
  'IMPORTS_STORE',
  'IMPORTS_ENDPOINT',
  'IMPORTS_REGION',
  'IMPORTS_CREDENTIALS_FOLDER',
  'IMPORTS_GIBIBYTES_PER_ORGANIZATION',
  'BILLING',
  'BILLING_CURRENCY',
  'BILLING_RETURN_URL',
  'STRIPE_SECRET_KEY_FILE',
  'STRIPE_WEBHOOK_SECRET_FILE',
  'STRIPE_PRICES',
  'STRIPE_API_URL',
  'DATABASES_MAX',
  'NAMESPACE_POD_SECURITY',
  'NAMESPACE_QUOTA_PODS',
  'NAMESPACE_QUOTA_CLAIMS',
  'NAMESPACE_QUOTA_SERVICES',
  'CONTROL_REQUESTS_PER_MINUTE',
  'LEDGER_REQUESTS_PER_SECOND',
  'LEDGER_MEBIBYTES_PER_SECOND',
  'LEDGER_EVENTS_PER_SECOND',
  'WRONG_CREDENTIALS_PER_MINUTE',
  'BODY_MEBIBYTES',
  'BODY_MEBIBYTES_PER_ORGANIZATION',
  'CONNECTIONS_PER_ADDRESS',
  'TRUSTED_PROXIES',
  'SERVER_DEVELOPMENT',
  'SERVER_STAGING',
  'SERVER_PRODUCTION',
  'TRACES_ENDPOINT',
  'TRACES_PERCENT',
  'NOTICE',
  'DASHBOARD_FOLDER',
] as const;
type Name = (typeof names)[number];
type Read = (name: Name, fallback?: string) => string;

const mebibyte = 1024 * 1024;
/** Minimum size of a signing key, in bytes. A shorter key could be guessed by trying. */
const signingKeyMin = 32;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  for (const name of Object.keys(environment)) {
    if (name.startsWith(prefix) && !names.some((known) => name === `${prefix}${known}`)) {
      throw new ConfigError(
        `unknown setting ${name}; known are ${names.map((one) => prefix + one).join(', ')}`,
      );
    }
  }
  const read: Read = (name, fallback) => {
    const value = environment[`${prefix}${name}`] ?? fallback;
    if (value === undefined) throw new ConfigError(`${prefix}${name} is missing`);
    return value;
  };
  const { servers } = documentDefaults;
  const databasesMax = count('DATABASES_MAX', read('DATABASES_MAX', '50'));
  return {
    namespace: read('NAMESPACE', 'ledgerhouse-system'),
    identity: read('IDENTITY', `${hostname()}-${process.pid}`),
    databaseUrl: databaseUrl(read('DATABASE_URL')),
    databaseConnections: count(
      'DATABASE_CONNECTIONS',
      read('DATABASE_CONNECTIONS', String(poolDefaults.connections)),
    ),
    listen: address('LISTEN', read('LISTEN', '127.0.0.1:8080')),
    healthListen: address('HEALTH_LISTEN', read('HEALTH_LISTEN', '127.0.0.1:8081')),
    publicUrl: baseUrl('PUBLIC_URL', read('PUBLIC_URL', '')),
    logLevel: oneOf('LOG_LEVEL', read('LOG_LEVEL', 'info'), ['debug', 'info', 'warn', 'error']),
    bootstrapTokenFile: environment[`${prefix}BOOTSTRAP_TOKEN_FILE`],
    signingKeys: signingKeys(read('SIGNING_KEY_FILE'), read('OTHER_SIGNING_KEYS_FOLDER', '')),
    identityProvider: providerSettings(environment),
    mails: (environment[`${prefix}MAIL_FROM`] ?? '') !== '',
    mail: mailSettings(environment),
    webhookRanges: webhookRanges(read('WEBHOOK_RANGES', '')),
    billing: billingSettings(read),
    backups: oneOf('BACKUPS', read('BACKUPS', 'off'), ['on', 'off']) === 'on',
    imports: importSettings(read),
    databasesMax,
    namespaceDefaults: namespaceDefaults(read, databasesMax),
    limits: limitsOf(read),
    bodyLimits: bodyLimitsOf(read),
    connectionsPerAddress: count(
      'CONNECTIONS_PER_ADDRESS',
      read('CONNECTIONS_PER_ADDRESS', '1000'),
    ),
    trustedProxies: trustedProxies(read('TRUSTED_PROXIES', '')),
    servers: {
      local: servers.local,
      development: baseUrl('SERVER_DEVELOPMENT', read('SERVER_DEVELOPMENT', '')),
      staging: baseUrl('SERVER_STAGING', read('SERVER_STAGING', '')),
      production: baseUrl('SERVER_PRODUCTION', read('SERVER_PRODUCTION', '')),
    },
    traces: traceSettings(read),
    notice: notice(read('NOTICE', '')),
    dashboardFolder: dashboardFolder(read('DASHBOARD_FOLDER', '')),
  };
}

/** Returns the configuration without its secrets, for the log. */
export const redacted = (config: Config) => ({
  ...config,
  billing:
    config.billing.kind === 'stripe'
      ? { ...config.billing, secretKey: 'hidden', webhookSecret: 'hidden' }
      : config.billing,
  databaseUrl: new URL(config.databaseUrl).host,
  imports: config.imports && {
    ...config.imports,
    store: { ...config.imports.store, accessKeyId: 'hidden', secretAccessKey: 'hidden' },
  },
  signingKeys: 'hidden',
  identityProvider: config.identityProvider && {
    ...config.identityProvider,
    clientSecret: 'hidden',
  },
  mail: config.mail?.kind === 'smtp' ? { ...config.mail, url: 'hidden' } : config.mail,
});

function importSettings(read: Read): ImportSettings | undefined {
  const url = read('IMPORTS_STORE', '');
  if (url === '') return undefined;
  const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) {
    throw new ConfigError(
      `${prefix}IMPORTS_STORE must be s3://BUCKET or s3://BUCKET/PREFIX, not ${url}`,
    );
  }
  const endpoint = baseUrl('IMPORTS_ENDPOINT', read('IMPORTS_ENDPOINT', ''));
  const folder = read('IMPORTS_CREDENTIALS_FOLDER');
  const credential = (file: string) => secretFile('IMPORTS_CREDENTIALS_FOLDER', join(folder, file));
  const folderInBucket = (path ?? '').replace(/\/+$/, '');
  const gibibytes = read('IMPORTS_GIBIBYTES_PER_ORGANIZATION', '');
  return {
    store: {
      endpoint: endpoint === '' ? undefined : endpoint,
      region: read('IMPORTS_REGION', 'us-east-1'),
      bucket,
      prefix: folderInBucket === '' ? '' : `${folderInBucket}/`,
      accessKeyId: credential('access-key-id'),
      secretAccessKey: credential('secret-access-key'),
    },
    bytesMax:
      gibibytes === ''
        ? undefined
        : 1024 ** 3 * count('IMPORTS_GIBIBYTES_PER_ORGANIZATION', gibibytes),
  };
}

function traceSettings(read: Read): TraceSettings | undefined {
  const percent = read('TRACES_PERCENT', '100');
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(percent) || Number(percent) > 100) {
    throw new ConfigError(
      `${prefix}TRACES_PERCENT must be a number from 0 to 100, such as 0.5, not ${percent}`,
    );
  }
  const text = read('TRACES_ENDPOINT', '');
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const endpoint = url?.origin ?? '';
  // Nothing but the origin: a password would be logged, and OTLP has a path of its own.
  if (!/^https?:/.test(endpoint) || url?.href !== `${endpoint}/`) {
    throw new ConfigError(
      `${prefix}TRACES_ENDPOINT must be http(s)://host:port, without a path or a password: OTLP's path is added`,
    );
  }
  return { endpoint, share: Number(percent) / 100 };
}

/** Maximum length of a notice: it stands above every page. */
const noticeMax = 500;

function notice(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > noticeMax) {
    throw new ConfigError(
      `${prefix}NOTICE has ${trimmed.length} characters; at most ${noticeMax} are shown above every page`,
    );
  }
  return trimmed === '' ? undefined : trimmed;
}

function namespaceDefaults(read: Read, databasesMax: number): NamespaceDefaults {
  const limit = (name: Name) => {
    const text = read(name, '');
    return text === '' ? undefined : count(name, text);
  };
  const [pods, claims, services] = [
    limit('NAMESPACE_QUOTA_PODS'),
    limit('NAMESPACE_QUOTA_CLAIMS'),
    limit('NAMESPACE_QUOTA_SERVICES'),
  ];
  const podSecurity = read('NAMESPACE_POD_SECURITY', 'restricted');
  return {
    podSecurity: oneOf('NAMESPACE_POD_SECURITY', podSecurity, podSecurityLevels),
    quota: quotaFor(databasesMax),
    fixed: {
      ...(pods !== undefined && { pods }),
      ...(claims !== undefined && { claims }),
      ...(services !== undefined && { services }),
    },
  };
}

function limitsOf(read: Read): RateLimitSettings {
  const limit = (name: Name, fallback: number) => count(name, read(name, String(fallback)));
  return {
    controlPerMinute: limit('CONTROL_REQUESTS_PER_MINUTE', rateLimitDefaults.controlPerMinute),
    ledgerPerSecond: limit('LEDGER_REQUESTS_PER_SECOND', rateLimitDefaults.ledgerPerSecond),
    ledgerBytesPerSecond:
      mebibyte *
      limit('LEDGER_MEBIBYTES_PER_SECOND', rateLimitDefaults.ledgerBytesPerSecond / mebibyte),
    ledgerEventsPerSecond: eventsPerSecond(
      limit('LEDGER_EVENTS_PER_SECOND', rateLimitDefaults.ledgerEventsPerSecond),
    ),
    wrongCredentialsPerMinute: limit(
      'WRONG_CREDENTIALS_PER_MINUTE',
      rateLimitDefaults.wrongCredentialsPerMinute,
    ),
  };
}

/** Minimum: a lower limit would refuse every full request. */
const ledgerEventsMin = 10_000;

function eventsPerSecond(value: number): number {
  if (value >= ledgerEventsMin) return value;
  throw new ConfigError(
    `${prefix}LEDGER_EVENTS_PER_SECOND must be at least ${ledgerEventsMin}: one request may have ${rowsMax} events`,
  );
}

function bodyLimitsOf(read: Read): ByteLimits {
  const { totalBytes, organizationBytes } = bodyLimitDefaults;
  const bytes = (name: Name, fallback: number) =>
    mebibyte * count(name, read(name, String(fallback / mebibyte)));
  return {
    totalBytes: bytes('BODY_MEBIBYTES', totalBytes),
    organizationBytes: bytes('BODY_MEBIBYTES_PER_ORGANIZATION', organizationBytes),
  };
}

function providerSettings(environment: NodeJS.ProcessEnv): ProviderSettings | undefined {
  const value = (name: Name) => environment[`${prefix}${name}`] ?? '';
  const [issuer, clientId] = [value('OIDC_ISSUER'), value('OIDC_CLIENT_ID')];
  const file = value('OIDC_CLIENT_SECRET_FILE');
  if (issuer === '' && clientId === '' && file === '') return undefined;
  const { protocol = '', hostname = '' } = URL.canParse(issuer) ? new URL(issuer) : {};
  // Signing in is only as safe as the connection to the identity provider.
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    throw new ConfigError(`${prefix}OIDC_ISSUER must be https://host, not ${issuer}`);
  }
  if (clientId === '') throw new ConfigError(`${prefix}OIDC_CLIENT_ID is missing`);
  if (value('PUBLIC_URL') === '') {
    throw new ConfigError(
      `${prefix}PUBLIC_URL is missing; the identity provider redirects people to it`,
    );
  }
  const clientSecret = file === '' ? undefined : secretFile('OIDC_CLIENT_SECRET_FILE', file);
  return { issuer, clientId, clientSecret };
}

function mailSettings(environment: NodeJS.ProcessEnv): MailSettings | undefined {
  const value = (name: Name) => environment[`${prefix}${name}`] ?? '';
  const [file, folder, from] = [
    value('MAIL_SMTP_URL_FILE'),
    value('MAIL_FOLDER'),
    value('MAIL_FROM'),
  ];
  if (file === '' && folder === '' && from === '') return undefined;
  if (file !== '' && folder !== '') {
    throw new ConfigError(`give ${prefix}MAIL_SMTP_URL_FILE or ${prefix}MAIL_FOLDER, not both`);
  }
  if (!from.includes('@')) {
    throw new ConfigError(`${prefix}MAIL_FROM must be an address, such as ledger@example.com`);
  }
  if (value('PUBLIC_URL') === '') {
    throw new ConfigError(`${prefix}PUBLIC_URL is missing; links in mail begin with it`);
  }
  if (file === '' && folder === '') return undefined;
  if (folder !== '') return { kind: 'folder', folder, from };
  const url = secretFile('MAIL_SMTP_URL_FILE', file);
  const isSmtp = URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol);
  if (isSmtp) return { kind: 'smtp', url, from };
  // The message does not repeat the value: it may hold a password.
  throw new ConfigError(`${prefix}MAIL_SMTP_URL_FILE must hold smtp(s)://user:password@host:port`);
}

function secretFile(name: Name, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${prefix}${name} cannot be read: ${String(error)}`, { cause: error });
  }
}

function billingSettings(read: Read): BillingSettings {
  const kind = oneOf('BILLING', read('BILLING', 'none'), ['none', 'stripe']);
  if (kind === 'none') return { kind: 'none' };
  const currency = read('BILLING_CURRENCY');
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new ConfigError(
      `${prefix}BILLING_CURRENCY must be three capital letters as in the catalog, such as EUR, not ${currency}`,
    );
  }
  const prices = read('STRIPE_PRICES')
    .split(/[\s,]+/)
    .filter((one) => one !== '');
  if (prices.length === 0 || prices.some((one) => !one.startsWith('price_'))) {
    throw new ConfigError(
      `${prefix}STRIPE_PRICES must be IDs of prices (price_…), separated by commas`,
    );
  }
  const returnUrl = baseUrl(
    'BILLING_RETURN_URL',
    read('BILLING_RETURN_URL', read('PUBLIC_URL', '')),
  );
  if (returnUrl === '') {
    throw new ConfigError(`${prefix}BILLING_RETURN_URL or ${prefix}PUBLIC_URL is missing`);
  }
  return {
    kind: 'stripe',
    secretKey: stripeSecret(read, 'STRIPE_SECRET_KEY_FILE', ['sk_', 'rk_']),
    webhookSecret:
      read('STRIPE_WEBHOOK_SECRET_FILE', '') === ''
        ? undefined
        : stripeSecret(read, 'STRIPE_WEBHOOK_SECRET_FILE', ['whsec_']),
    apiUrl: baseUrl('STRIPE_API_URL', read('STRIPE_API_URL', 'https://api.stripe.com')),
    currency,
    prices,
    returnUrl,
  };
}

function stripeSecret(read: Read, name: Name, prefixes: readonly string[]): string {
  const secret = secretFile(name, read(name));
  // The message does not repeat the value: it is another kind of secret.
  if (prefixes.some((one) => secret.startsWith(one))) return secret;
  throw new ConfigError(
    `${prefix}${name} must contain a value that begins with ${prefixes.join(' or ')}`,
  );
}

/** Parses the list of proxies into the form that Express takes. */
function trustedProxies(text: string): readonly string[] {
  const proxies = listOf(text);
  for (const proxy of proxies) {
    if (isRange(proxy) || isIP(proxy) !== 0) continue;
    if (['loopback', 'linklocal', 'uniquelocal'].includes(proxy)) continue;
    throw new ConfigError(
      `${prefix}TRUSTED_PROXIES must be addresses, ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, not ${proxy}`,
    );
  }
  return proxies;
}

function webhookRanges(text: string): readonly string[] {
  const ranges = listOf(text);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong === undefined) return ranges;
  throw new ConfigError(
    `${prefix}WEBHOOK_RANGES must be ranges such as 10.96.0.0/12, separated by commas, not ${wrong}`,
  );
}

const listOf = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((one) => one !== '');

/** Whether the text is an address with a number of bits. */
function isRange(text: string): boolean {
  const [host = '', bits = '', ...more] = text.split('/');
  const most = isIP(host) === 6 ? 128 : 32;
  const isCount = /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  return isIP(host) !== 0 && more.length === 0 && isCount;
}

/** What `api/web/built-files.ts` reads. */
const builtParts = ['index.html', 'first-load.js', 'assets'];

function dashboardFolder(folder: string): string | undefined {
  if (folder === '') return undefined;
  const missing = builtParts.map((name) => join(folder, name)).find((path) => !existsSync(path));
  if (missing === undefined) return folder;
  throw new ConfigError(
    `${prefix}DASHBOARD_FOLDER must hold the built dashboard; there is no ${missing}`,
  );
}

function databaseUrl(text: string): string {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  if (isPostgres) return text;
  // The message does not repeat the value: it may hold a password.
  throw new ConfigError(
    `${prefix}DATABASE_URL must be postgres://user:password@host:port/database`,
  );
}

function baseUrl(name: Name, text: string): string {
  const url = text.replace(/\/+$/, '');
  const isWeb = url === '' || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol));
  if (isWeb) return url;
  throw new ConfigError(`${prefix}${name} must be http(s)://host, not ${text}`);
}

function address(name: Name, text: string): HostPort {
  const address = parseHostPort(text);
  if (address !== undefined) return address;
  throw new ConfigError(`${prefix}${name} must be HOST:PORT, not ${text}`);
}

function count(name: Name, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new ConfigError(`${prefix}${name} must be a number from 1 to 9999999, not ${text}`);
  }
  return Number(text);
}

function oneOf<T extends string>(name: Name, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new ConfigError(`${prefix}${name} must be one of ${allowed.join(', ')}, not ${text}`);
}

/** `folder`: holds one file for each key that does not sign (earlier keys, or the next one). Empty: there are none. */
function signingKeys(file: string, folder: string): SigningKeys {
  const others = folder === '' ? [] : filesOf('OTHER_SIGNING_KEYS_FOLDER', folder);
  return new SigningKeys([
    signingKey('SIGNING_KEY_FILE', file),
    ...others.map((one) => signingKey('OTHER_SIGNING_KEYS_FOLDER', one)),
  ]);
}

function signingKey(name: Name, file: string): Buffer {
  const key = Buffer.from(secretFile(name, file));
  if (key.length >= signingKeyMin) return key;
  throw new ConfigError(
    `${prefix}${name}: ${file} must contain at least ${signingKeyMin} characters`,
  );
}

/** In the volume of a Secret, Kubernetes keeps its own folders, whose names begin with dots. */
function filesOf(name: Name, folder: string): readonly string[] {
  try {
    const files = readdirSync(folder).filter((one) => !one.startsWith('.'));
    return files.sort().map((one) => join(folder, one));
  } catch (error) {
    throw new ConfigError(`${prefix}${name} cannot be read: ${String(error)}`, { cause: error });
  }
}
