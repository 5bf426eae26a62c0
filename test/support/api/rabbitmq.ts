/**
 * A real RabbitMQ of the test's own, from Debian's package: its own folder, ports of the loopback, its own `epmd`, TLS beside plain
 * connections, and one virtual host `payments` with the user `ledger`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ChannelModel, type ConfirmChannel, type GetMessage } from 'amqplib';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { newAuthority } from '../engine/peer-certificates.ts';
import { eventually, mustRun } from '../shell.ts';

/** The scripts themselves: those on the PATH change to the user of the system's service. */
const programs = '/usr/lib/rabbitmq/bin';
/** On a machine that others use, a start that takes three seconds has taken more than three minutes. */
const startMs = 500_000;
const vhost = 'payments';
const username = 'ledger';
const password = 'rabbit-password';

export class TestRabbit {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-rabbit-'));
  #epmd: ChildProcess | undefined;
  #server: ChildProcess | undefined;
  #said = '';
  #environment: Record<string, string> = {};
  /** PEM of the authority that signed its certificate. */
  authority = '';
  port = 0;
  tlsPort = 0;

  static async create(): Promise<TestRabbit> {
    if (!existsSync(programs)) throw new Error('RabbitMQ is missing; run make setup');
    const rabbit = new TestRabbit();
    try {
      await rabbit.#prepare();
      await rabbit.start();
    } catch (error) {
      await rabbit.dispose();
      throw error;
    }
    return rabbit;
  }

  /** A sink of a change stream to it. */
  sink(more: Readonly<Record<string, unknown>> = {}) {
    const url = `amqp://127.0.0.1:${this.port}/${vhost}`;
    return { type: 'AMQP', url, username, password, ...more } as const;
  }

  async #prepare(): Promise<void> {
    const [port = 0, tlsPort = 0, distribution = 0, epmd = 0] = await freePorts(4);
    this.port = port;
    this.tlsPort = tlsPort;
    const folder = this.#folder;
    const authority = await newAuthority('a broker’s authority');
    this.authority = authority.certificate;
    const { certificate, key } = await authority.sign('broker', ['localhost']);
    for (const [name, text] of [
      ['ca.crt', authority.certificate],
      ['tls.crt', certificate],
      ['tls.key', key],
    ] as const) {
      writeFileSync(join(folder, name), text);
    }
    writeFileSync(
      join(folder, 'rabbitmq.conf'),
      `listeners.tcp.1 = 127.0.0.1:${port}
listeners.ssl.1 = 127.0.0.1:${tlsPort}
ssl_options.cacertfile = ${join(folder, 'ca.crt')}
ssl_options.certfile = ${join(folder, 'tls.crt')}
ssl_options.keyfile = ${join(folder, 'tls.key')}
default_vhost = ${vhost}
default_user = ${username}
default_pass = ${password}
disk_free_limit.absolute = 1MB
log.file = false
`,
    );
    writeFileSync(join(folder, 'enabled_plugins'), '[].');
    this.#environment = {
      HOME: folder,
      RABBITMQ_NODENAME: `ledgerhouse-${port}@localhost`,
      RABBITMQ_MNESIA_BASE: folder,
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      ERL_EPMD_PORT: String(epmd),
      ERL_EPMD_ADDRESS: '127.0.0.1',
    };
    this.#epmd = spawn('epmd', ['-port', String(epmd), '-address', '127.0.0.1'], {
      stdio: 'ignore',
    });
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#said = '';
    // A group of its own: the server is a child of the script.
    const server = spawn(join(programs, 'rabbitmq-server'), [], {
      env: { ...process.env, ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#server = server;
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#said = `${this.#said}${chunk.toString()}`.slice(-20_000);
      });
    }
    await eventually(
      'RabbitMQ takes connections',
      async () => {
        if (server.exitCode !== null) throw new Error(`RabbitMQ ended: ${this.#said}`);
        const model = await this.#connect().catch((error: unknown) => {
          throw new Error(`${String(error)}; RabbitMQ said: ${this.#said}`);
        });
        await model.close();
        return true;
      },
      startMs,
    );
  }

  /** Ends it as a power cut does, or in order. */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server?.pid === undefined) return;
    this.#server = undefined;
    const ended = once(server, 'exit');
    try {
      process.kill(-server.pid, signal);
    } catch {
      // It has ended already.
    }
    if (server.exitCode === null && server.signalCode === null) await ended;
  }

  /** Runs a verb of `rabbitmqctl`. */
  control(...args: readonly string[]): Promise<string> {
    return mustRun(join(programs, 'rabbitmqctl'), args, { env: this.#environment });
  }

  /** Uses a channel for topology and for reading. */
  async use<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const model = await this.#connect();
    try {
      return await work(await model.createConfirmChannel());
    } finally {
      await model.close().catch(() => {});
    }
  }

  /** Takes all messages out of a queue. */
  takeAll(queue: string): Promise<GetMessage[]> {
    return this.use(async (channel) => {
      const messages: GetMessage[] = [];
      for (;;) {
        const message = await channel.get(queue, { noAck: true });
        if (message === false) return messages;
        messages.push(message);
      }
    });
  }

  async dispose(): Promise<void> {
    await this.stop();
    const epmd = this.#epmd;
    if (epmd !== undefined && epmd.exitCode === null && epmd.signalCode === null) {
      const ended = once(epmd, 'exit');
      epmd.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #connect(): Promise<ChannelModel> {
    const { port } = this;
    const model = await connect({ hostname: '127.0.0.1', port, vhost, username, password });
    model.on('error', () => {});
    return model;
  }
}
