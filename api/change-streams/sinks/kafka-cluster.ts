/**
 * Connections to the brokers of one Kafka cluster, and which of them leads a partition. Brokers name each other in their answers: each
 * address is checked before it is connected to, as that of the first one is. Any failure ends all connections: the stream goes on from
 * its position with others, so that nothing is repeated here.
 */
import { isIP } from 'node:net';
import type { Connection, ConnectionOptions } from '@platformatic/kafka';
import type { KafkaSink } from '../../model/change-stream.ts';
import { BlockedAddress, type ReceiverNames } from '../../webhooks/resolver.ts';
import { isKafkaPort, kafkaAddress, portsText, type KafkaBroker } from './kafka-address.ts';
import { signIn } from './kafka-sign-in.ts';

/** Loaded with the first sink: it takes memory and time at a start that most installations need for nothing. */
export const kafkaLibrary = () => import('@platformatic/kafka');
type Library = Awaited<ReturnType<typeof kafkaLibrary>>;

export interface KafkaMessage {
  readonly partition: number;
  readonly key: Buffer;
  readonly value: Buffer;
  /** Milliseconds since 1970. */
  readonly timestamp: bigint;
  readonly headers: ReadonlyMap<Buffer, Buffer>;
}

const clientId = 'ledgerhouse-change-stream';
const connectMaxMs = 10_000;
const requestMaxMs = 25_000;
/** All brokers that are in sync have the events. */
const allInSync = -1;
/** Answers are small. A broker that sends more is not one: it must not fill our memory. */
const answersMax = 4 * 1024 * 1024;
/** Brokers of a cluster to which a stream connects. */
const connectionsMax = 32;

export class KafkaCluster {
  readonly #library: Library;
  readonly #sink: KafkaSink;
  readonly #password: string;
  readonly #names: ReceiverNames;
  readonly #connections = new Map<string, Connection>();
  #brokers = new Map<number, KafkaBroker>();
  #leaders: readonly number[] = [];
  #closed = false;

  private constructor(library: Library, sink: KafkaSink, password: string, names: ReceiverNames) {
    this.#library = library;
    this.#sink = sink;
    this.#password = password;
    this.#names = names;
  }

  /** Opens none yet. */
  static async of(sink: KafkaSink, password: string, names: ReceiverNames): Promise<KafkaCluster> {
    return new KafkaCluster(await kafkaLibrary(), sink, password, names);
  }

  /** Partitions of the topic. */
  get partitions(): number {
    return this.#leaders.length;
  }

  /** Asks for the partitions of the topic and who leads them: the first broker that answers. */
  async locate(): Promise<void> {
    const brokers = kafkaAddress(this.#sink.url)?.brokers ?? [];
    const failures: unknown[] = [];
    for (const broker of brokers) {
      try {
        return await this.#locateBy(broker);
      } catch (error) {
        // A broker that is away says nothing of the topic; one that answers speaks for all.
        if (this.#closed || this.#library.findErrorBy(error as Error, 'code', 'PLT_KFK_PROTOCOL')) {
          throw error;
        }
        failures.push(error);
      }
    }
    throw failures[0];
  }

  async #locateBy(broker: KafkaBroker): Promise<void> {
    const connection = await this.#connectionTo(broker);
    const { topic } = this.#sink;
    const { brokers, topics } = await this.#library.metadataV9.api.async(
      connection,
      [topic],
      false,
    );
    const partitions = topics.find(({ name }) => name === topic)?.partitions ?? [];
    if (partitions.length === 0) throw new Error('the topic has no partitions');
    const leaders: number[] = [];
    for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId;
    this.#leaders = leaders;
    this.#brokers = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
  }

  /** Resolves when all brokers in sync have the messages. Those of one partition keep their order. */
  async produce(messages: readonly KafkaMessage[]): Promise<void> {
    const byLeader = Map.groupBy(messages, ({ partition }) => this.#leaders[partition] ?? -1);
    await Promise.all(
      [...byLeader].map(async ([leader, own]) => {
        const broker = this.#brokers.get(leader);
        if (broker === undefined) throw new Error('a partition has no leader at present');
        const connection = await this.#connectionTo(broker);
        const { topic } = this.#sink;
        const records = own.map((message) => ({ ...message, topic }));
        await this.#library.produceV9.api.async(
          connection,
          allInSync,
          requestMaxMs,
          records as Parameters<Library['produceV9']['createRequest']>[2],
        );
      }),
    );
  }

  /** Ends all connections at once: what the brokers have not confirmed is sent again. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#connections.values()) connection.socket?.destroy();
    this.#connections.clear();
  }

  async #connectionTo({ host, port }: KafkaBroker): Promise<Connection> {
    if (this.#closed) throw new Error('it is closed');
    const key = `${host}:${port}`;
    const kept = this.#connections.get(key);
    if (kept !== undefined) return kept;
    if (this.#connections.size >= connectionsMax)
      throw new Error('the cluster has too many brokers');
    // A broker may name any.
    if (!isKafkaPort(port)) throw new BlockedAddress(`a broker must have a port ${portsText}`);
    const tls = this.#sink.url.startsWith('kafkas:');
    const address = await this.#checked(host, tls);
    const connection = new this.#library.Connection(clientId, this.#optionsFor(host, tls));
    // Failures are those of the requests under way.
    connection.on('error', () => {});
    this.#connections.set(key, connection);
    const connecting = this.#connect(connection, address, port);
    // From the first byte on: the sign-in has answers, too.
    boundAnswers(connection);
    if (this.#closed) this.close();
    await connecting;
    return connection;
  }

  /** Some brokers answer a wrong password by ending the connection, which alone looks like a fault of the network. */
  async #connect(connection: Connection, address: string, port: number): Promise<void> {
    const { AuthenticationError, findErrorBy } = this.#library;
    let isSigningIn = false;
    connection.once('sasl:handshake', () => (isSigningIn = true));
    try {
      await connection.connect(address, port);
    } catch (error) {
      const ended = findErrorBy(error as Error, 'code', 'PLT_KFK_NETWORK');
      if (!isSigningIn || this.#closed || !ended) throw error;
      throw new AuthenticationError('The connection ended during the sign-in.', { cause: ended });
    }
  }

  /** Returns the host to connect to: with TLS the name, which the socket resolves with our own lookup; otherwise the checked address. */
  async #checked(host: string, tls: boolean): Promise<string> {
    if (isIP(host) !== 0) {
      this.#names.check(host, !tls);
      return host;
    }
    return tls ? host : await this.#names.addressOf(host, true);
  }

  #optionsFor(host: string, tls: boolean): ConnectionOptions {
    const { username, certificateAuthority } = this.#sink;
    return {
      connectTimeout: connectMaxMs,
      requestTimeout: requestMaxMs,
      maxInflights: 1,
      ...(tls && {
        tls: {
          lookup: this.#names.lookup(false),
          ...(isIP(host) === 0 && { servername: host }),
          ...(certificateAuthority !== null && { ca: certificateAuthority }),
        },
      }),
      ...(username !== '' && { sasl: signIn(this.#library, this.#sink, this.#password) }),
    };
  }
}

function boundAnswers({ socket }: Connection): void {
  let bytes = 0;
  const restart = setInterval(() => (bytes = 0), 1_000).unref();
  socket.once('close', () => clearInterval(restart));
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answersMax) socket.destroy(new Error('the broker sends too much'));
  });
}
