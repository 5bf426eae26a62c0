/** The sink of a change stream, as options of a command and as the body of a request. */
import { readFileSync } from 'node:fs';
import type { ChangeStream, CreateChangeStreamRequest } from '../gen/api.ts';
import type { Option } from './command.ts';
import { usageFailure } from './failure.ts';
import type { Input } from './input.ts';
import { readSecret } from './secret.ts';

type Sink = CreateChangeStreamRequest['sink'];
type Broker = Exclude<Sink, { readonly type: 'WEBHOOK' }>;

export const sinkOptions: readonly Option[] = [
  {
    name: 'username',
    value: 'name',
    summary: 'for a broker: the user; the command asks for the password',
  },
  { name: 'topic', value: 'name', summary: 'for Kafka: the topic' },
  {
    name: 'key',
    value: 'key',
    summary: 'for Kafka: events that stay in order in several partitions; DATABASE when absent',
    choices: ['DATABASE', 'LEDGER', 'DEBIT_ACCOUNT'],
  },
  {
    name: 'mechanism',
    value: 'mechanism',
    summary: 'for Kafka: how the user signs in; SCRAM-SHA-512 when absent',
    choices: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
  },
  {
    name: 'exchange',
    value: 'name',
    summary: 'for AMQP: the exchange; the default one when absent',
  },
  { name: 'routing-key', value: 'key', summary: 'for AMQP: the routing key, or the queue' },
  {
    name: 'format',
    value: 'format',
    summary: 'for a broker: format of the events',
    choices: ['TIGERBEETLE', 'LEDGERHOUSE'],
  },
  {
    name: 'ca-file',
    value: 'path',
    summary: 'for a broker: PEM of the authorities that may have signed its certificate',
  },
];

const types: Readonly<Record<string, Sink['type']>> = {
  http: 'WEBHOOK',
  https: 'WEBHOOK',
  amqp: 'AMQP',
  amqps: 'AMQP',
  kafka: 'KAFKA',
  kafkas: 'KAFKA',
};

/** The sink that the URL and the options name. Reads a broker's password from standard input. */
export async function newSink(url: string, input: Input): Promise<Sink> {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1] ?? '';
  const type = types[scheme];
  if (type === undefined) {
    throw usageFailure(`“${url}” is no URL of a sink`, `begin it with ${schemes.join(', ')}`);
  }
  if (type === 'WEBHOOK') {
    const given = sinkOptions.find(({ name }) => input.has(name));
    if (given !== undefined) throw usageFailure(`--${given.name} is for brokers`);
    return { type, url };
  }
  const password = input.has('username') ? await passwordOf(input) : '';
  return { ...settingsOf(input), type, url, ...(password !== '' && { password }) } as Broker;
}

const schemes = Object.keys(types).map((scheme) => `${scheme}://`);

/** Whether the command changes the sink. */
export const changesSink = (input: Input): boolean =>
  input.has('url') || input.has('password') || sinkOptions.some(({ name }) => input.has(name));

/** The sink with what the options change. */
export async function changedSink(sink: ChangeStream['sink'], input: Input): Promise<Sink> {
  const url = input.text('url') ?? sink.url;
  if (sink.type === 'WEBHOOK') return { type: 'WEBHOOK', url };
  const { passwordSet: _, ...before } = sink;
  const password = input.has('password') ? await passwordOf(input) : '';
  return { ...before, ...settingsOf(input), url, ...(password !== '' && { password }) };
}

/** The options that are given, as fields. */
function settingsOf(input: Input): Readonly<Record<string, string>> {
  const file = input.text('ca-file');
  return Object.fromEntries(
    [
      ['username', input.text('username')],
      ['topic', input.text('topic')],
      ['key', input.text('key')],
      ['mechanism', input.text('mechanism')],
      ['exchange', input.text('exchange')],
      ['routingKey', input.text('routing-key')],
      ['format', input.text('format')],
      ['certificateAuthority', file === undefined ? undefined : readPem(file)],
    ].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw usageFailure(`--ca-file ${file} cannot be read (${code})`);
  }
}

/** `--dry-run` shows the request, so it neither asks for a password nor shows one. */
const passwordOf = async (input: Input): Promise<string> =>
  input.has('dry-run')
    ? '(redacted)'
    : (await readSecret('Password of the broker: ')).replace(/\r?\n$/, '');
