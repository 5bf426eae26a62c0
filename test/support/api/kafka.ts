/**
 * A server that speaks Kafka's protocol (`kfake`): brokers on ports of the loopback, whose topics are there again after a kill. Tests
 * read it with the consumer of the client library.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Consumer, ListOffsetTimestamps } from '@platformatic/kafka';
import { ensureProgram } from '../../../tools/cluster/binaries.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { newAuthority } from '../engine/peer-certificates.ts';
import { eventually } from '../shell.ts';

const username = 'ledger';
const password = 'kafka-password';

interface KafkaOptions {
  /** Map from topics to their partitions. */
  readonly topics: Readonly<Record<string, number>>;
  readonly brokers?: number;
  /** TLS, and a user who signs in by this mechanism. */
  readonly mechanism?: 'PLAIN' | 'SCRAM-SHA-256';
}

interface KafkaRecord {
  readonly partition: number;
  readonly key: string;
  readonly text: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly timestamp: bigint;
}

export class TestKafka {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-kafka-'));
  readonly #options: KafkaOptions;
  readonly #flags: string[] = [];
  #server: ChildProcess | undefined;
  ports: readonly number[] = [];
  /** PEM of the authority that signed its certificate. */
  authority = '';

  private constructor(options: KafkaOptions) {
    this.#options = options;
  }

  static async create(options: KafkaOptions): Promise<TestKafka> {
    const kafka = new TestKafka(options);
    kafka.ports = await freePorts(options.brokers ?? 1);
    const { topics, mechanism } = options;
    const list = Object.entries(topics).map(([name, partitions]) => `${name}:${partitions}`);
    kafka.#flags.push(`-ports=${kafka.ports.join()}`, `-topics=${list.join()}`);
    kafka.#flags.push(`-data=${join(kafka.#folder, 'data')}`);
    if (mechanism !== undefined) await kafka.#secure(mechanism);
    await kafka.start();
    return kafka;
  }

  async #secure(mechanism: string): Promise<void> {
    const authority = await newAuthority('an authority of Kafka');
    this.authority = authority.certificate;
    const { certificate, key } = await authority.sign('broker', ['localhost', '127.0.0.1']);
    const [certificateFile, keyFile] = ['tls.crt', 'tls.key'].map((name) =>
      join(this.#folder, name),
    );
    writeFileSync(certificateFile ?? '', certificate);
    writeFileSync(keyFile ?? '', key);
    this.#flags.push(`-certificate=${certificateFile}`, `-key=${keyFile}`);
    this.#flags.push(`-user=${mechanism}:${username}:${password}`);
  }

  /** A sink of a change stream to it. */
  sink(topic: string, more: Readonly<Record<string, unknown>> = {}) {
    const { mechanism } = this.#options;
    const [host, scheme] =
      mechanism === undefined ? ['127.0.0.1', 'kafka'] : ['localhost', 'kafkas'];
    const url = `${scheme}://${this.ports.map((port) => `${host}:${port}`).join()}`;
    const secured = { mechanism, username, password, certificateAuthority: this.authority };
    return { type: 'KAFKA', url, topic, ...(mechanism !== undefined && secured), ...more } as const;
  }

  async start(): Promise<void> {
    const program = await ensureProgram('kfake');
    const server = spawn(program, this.#flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    let said = '';
    server.stderr.on(
      'data',
      (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-5_000)),
    );
    await eventually('Kafka answers', async () => {
      if (server.exitCode !== null) throw new Error(`kfake ended: ${said}`);
      const { connect } = await import('node:net');
      const socket = connect(this.ports[0] ?? 0, '127.0.0.1');
      try {
        await once(socket, 'connect');
      } finally {
        socket.destroy();
      }
      return true;
    });
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  /** All records of a topic, in the order of their partitions and offsets. Waits until there are `count`. */
  async records(topic: string, count: number): Promise<readonly KafkaRecord[]> {
    const { mechanism } = this.#options;
    const consumer = new Consumer({
      clientId: 'test',
      groupId: `test-${Math.random()}`,
      bootstrapBrokers: this.ports.map((port) => `localhost:${port}`),
      ...(mechanism !== undefined && {
        tls: { ca: this.authority },
        sasl: { mechanism, username, password },
      }),
    });
    try {
      const stream = await consumer.consume({
        topics: [topic],
        mode: 'earliest',
        autocommit: false,
      });
      const found: (KafkaRecord & { offset: bigint })[] = [];
      for await (const { partition, key, value, headers, timestamp, offset } of stream) {
        const text = (bytes: Buffer | undefined) => bytes?.toString() ?? '';
        found.push({
          partition,
          offset,
          key: text(key),
          text: text(value),
          headers: new Map([...headers].map(([name, one]) => [text(name), text(one)])),
          timestamp,
        });
        if (found.length >= count) break;
      }
      await stream.close();
      return found.toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset));
    } finally {
      await consumer.close(true);
    }
  }

  /** Number of records in a topic. */
  async count(topic: string): Promise<number> {
    const consumer = new Consumer({
      clientId: 'test',
      groupId: 'count',
      bootstrapBrokers: this.ports.map((port) => `localhost:${port}`),
    });
    try {
      const offsets = await consumer.listOffsets({
        topics: [topic],
        timestamp: ListOffsetTimestamps.LATEST,
      });
      return (offsets.get(topic) ?? []).reduce((sum, one) => sum + Number(one), 0);
    } finally {
      await consumer.close(true);
    }
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
