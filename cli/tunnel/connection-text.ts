/** Shows the addresses of a connection, and how the client of each language takes them. */
import { isIPv6 } from 'node:net';
import type { Database } from '../../gen/api.ts';

type ConnectionEnvironment = Readonly<Record<'TB_ADDRESS' | 'TB_CLUSTER_ID', string>>;

interface Listening {
  readonly host: string;
  readonly port: number;
}

export const environmentOf = (
  { connection }: Database,
  ports: readonly Listening[],
): ConnectionEnvironment => ({
  TB_ADDRESS: ports.map(({ host, port }) => `${shownHost(host)}:${port}`).join(','),
  TB_CLUSTER_ID: connection.clusterId ?? '',
});

/** Clients take IP addresses only. A port that listens everywhere is reached at the loopback address. */
function shownHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}

const languages: readonly (readonly [language: string, how: string])[] = [
  [
    'Node.js',
    "createClient({ cluster_id: BigInt(process.env.TB_CLUSTER_ID), replica_addresses: process.env.TB_ADDRESS.split(',') })",
  ],
  [
    'Go',
    'NewClient(clusterID, strings.Split(os.Getenv("TB_ADDRESS"), ",")), where clusterID is the Uint128 of TB_CLUSTER_ID',
  ],
  [
    'Java',
    'new Client(UInt128.asBytes(new BigInteger(System.getenv("TB_CLUSTER_ID"))), System.getenv("TB_ADDRESS").split(","))',
  ],
  [
    '.NET',
    'new Client(UInt128.Parse(Environment.GetEnvironmentVariable("TB_CLUSTER_ID")), Environment.GetEnvironmentVariable("TB_ADDRESS").Split(","))',
  ],
  [
    'Python',
    'ClientSync(cluster_id=int(os.environ["TB_CLUSTER_ID"]), replica_addresses=os.environ["TB_ADDRESS"])',
  ],
  ['Rust', 'Client::new(std::env::var("TB_CLUSTER_ID")?.parse()?, &std::env::var("TB_ADDRESS")?)'],
];

export function connectionText(
  { id, name, connection }: Database,
  environment: ConnectionEnvironment,
  json: boolean,
): string {
  if (json) {
    const document = {
      database: { id, name },
      clusterId: connection.clusterId,
      addresses: environment.TB_ADDRESS.split(','),
      environment,
    };
    return `${JSON.stringify(document, undefined, 2)}\n`;
  }
  const variables = Object.entries(environment).map(([key, value]) => `  export ${key}=${value}`);
  const width = Math.max(...languages.map(([language]) => language.length));
  const rows = languages.map(([language, how]) => `  ${language.padEnd(width)}  ${how}`);
  return [
    `${name} (${id}) is reached here:`,
    '',
    ...variables,
    '',
    'Give both to the client of your language:',
    '',
    ...rows,
    '',
  ].join('\n');
}
