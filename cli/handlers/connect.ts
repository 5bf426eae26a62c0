import type { Database } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context, Service } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { untilInterrupted } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import { runCommand } from '../tunnel/command.ts';
import { dial } from '../tunnel/dial.ts';
import { LocalPort } from '../tunnel/local-port.ts';
import { connectionText, environmentOf } from '../tunnel/connection-text.ts';
import { Traffic } from '../tunnel/traffic.ts';

const defaultPort = 3_000;
const defaultHost = '127.0.0.1';

export const connect: Handler = async (context, input) => {
  const command = commandOf(input);
  const host = input.text('host') ?? defaultHost;
  const firstPort = portOf(input, command === undefined ? defaultPort : 0);
  const service = await context.service();
  const database = await readyDatabase(service, input.argument(0));
  const traffic = new Traffic(context);
  const ended = Promise.withResolvers<CliFailure>();
  const ports: LocalPort[] = [];
  try {
    for (const replica of database.connection.addresses.keys()) {
      const port = firstPort === 0 ? 0 : firstPort + replica;
      const options = { replica, host, port };
      ports.push(await openPort(context, service, database, options, traffic, ended.resolve));
    }
    const environment = environmentOf(
      database,
      ports.map(({ port }) => ({ host, port })),
    );
    if (command === undefined) {
      context.output.result(connectionText(database, environment, input.has('json')));
      context.output.note('connected; Ctrl-C ends it');
    }
    const run =
      command === undefined
        ? untilInterrupted().then(() => ExitCode.Ok)
        : runCommand(command, environment, context);
    const outcome = await Promise.race([run, ended.promise]);
    if (outcome instanceof CliFailure) throw outcome;
    return outcome;
  } finally {
    traffic.stop();
    for (const port of ports) port.close();
  }
};

function commandOf(input: Input): readonly [string, ...string[]] | undefined {
  const [, program, ...rest] = input.arguments;
  if (!input.has('exec')) {
    if (program === undefined) return undefined;
    throw usageFailure(
      `"${program}" is one argument too many`,
      'to run a command: --exec -- COMMAND',
    );
  }
  if (program === undefined) {
    throw usageFailure(
      '--exec needs a command',
      'put it behind --, such as: --exec -- node app.js',
    );
  }
  return [program, ...rest];
}

function portOf(input: Input, otherwise: number): number {
  const text = input.text('port');
  if (text === undefined) return otherwise;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_530) return port;
  throw usageFailure(`"${text}" is not a port`, 'give a number from 0 to 65530');
}

async function readyDatabase({ exchange }: Service, word: string): Promise<Database> {
  const databaseId = await databaseIdOf(exchange, word);
  const { document } = await receive(
    exchange,
    contractRequest('get', '/api/v1/databases/{databaseId}', { params: { databaseId } }),
  );
  const { database } = document;
  const { addresses, clusterId } = database.connection;
  if (database.status === 'READY' && addresses.length > 0 && clusterId !== null) return database;
  throw new CliFailure({
    exitCode: ExitCode.Conflict,
    code: 'database_not_ready',
    title: 'The database is not ready',
    detail: `${database.name} is ${database.status}`,
    nextSteps: [`ledgerhouse databases get ${database.name}`],
  });
}

interface PortOptions {
  readonly replica: number;
  readonly host: string;
  readonly port: number;
}

async function openPort(
  { output, timers, version, environment }: Context,
  service: Service,
  { id }: Database,
  { replica, host, port }: PortOptions,
  traffic: Traffic,
  onFailure: (failure: CliFailure) => void,
): Promise<LocalPort> {
  const { proxies } = environment;
  try {
    return await LocalPort.open({
      host,
      port,
      timers,
      dial: async () =>
        dial({
          settings: await service.freshSettings(),
          databaseId: id,
          replica,
          version,
          proxies,
        }),
      events: {
        onConnections: (change) => traffic.connections(change),
        onClient: (client, change) => traffic.client(client, change),
        onBytes: (direction, bytes) => traffic.bytes(direction, bytes),
        onNote: ({ code, detail }) => output.warn(`${printable(code)}: ${printable(detail)}`),
        onTrouble: (detail) => traffic.trouble(printable(detail)),
        onFailure,
      },
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw usageFailure(
        `port ${port} of ${host} is in use by another program`,
        'choose the first port with --port, or any free ports with --port 0',
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
      throw usageFailure(`cannot listen on ${host}:${port} (${code})`);
    }
    throw error;
  }
}
