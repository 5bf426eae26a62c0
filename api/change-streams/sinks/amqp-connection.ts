/**
 * One connection to a broker, with one channel that confirms. Any failure ends it: the stream goes on from its position with another
 * one, so that nothing is repeated here. It connects to addresses that were checked, and to no other.
 */
import { isIP, type Socket } from 'node:net';
import { connect, type ConfirmChannel } from 'amqplib';
import type { AmqpSink } from '../../model/change-stream.ts';
import type { ReceiverNames } from '../../webhooks/resolver.ts';
import { amqpAddress } from './amqp-address.ts';

/** Larger frames of a broker are refused: it is not ours, and must not fill our memory. */
const frameMax = 131_072;
/**
 * A broker may say so much in one connection: confirmations of some hundred thousand messages. The library holds a message that comes back until
 * its end, which another server may never send. A connection that lasts ends between two pages.
 */
const readMax = { endAt: 8 * 1024 * 1024, cutAt: 24 * 1024 * 1024 };
const heartbeatSeconds = 20;
/** A broker that is short of memory or disk may be so for hours: the page is sent again later. */
const blockedMaxMs = 5_000;

interface Confirmation {
  readonly deliveryTag: number;
  readonly multiple: boolean;
}
/** The library's list of unconfirmed messages, from the tag `lwm` on. Null: the message was confirmed before earlier ones. */
interface Unconfirmed {
  readonly lwm: number;
  readonly unconfirmed: readonly unknown[];
}

/** The broker confirmed what it was not sent, or has confirmed before. */
export class FalseConfirmation extends Error {}

/** The library would make its list as long as the tag is large, and go through all of it: minutes in which the process does nothing else. */
function checkConfirmation(
  { lwm, unconfirmed }: Unconfirmed,
  { deliveryTag, multiple }: Confirmation,
): void {
  const place = deliveryTag - lwm;
  const isSent = place >= 0 && place < unconfirmed.length;
  if (!isSent || (!multiple && unconfirmed[place] === null)) throw new FalseConfirmation();
}

export class AmqpConnection {
  readonly channel: ConfirmChannel;
  /** The broker's reason for taking no more messages; `undefined`: it takes them. */
  blocked: string | undefined;
  #returned: string | undefined;
  readonly #failure = Promise.withResolvers<never>();
  readonly #socket: AbortController;
  readonly #bytesRead: () => number;
  #patience: NodeJS.Timeout | undefined;

  private constructor(channel: ConfirmChannel, socket: AbortController, bytesRead: () => number) {
    this.channel = channel;
    this.#socket = socket;
    this.#bytesRead = bytesRead;
    this.#failure.promise.catch(() => {});
  }

  /** Whether another connection must take the next page. */
  get isUsedUp(): boolean {
    return this.#bytesRead() > readMax.endAt;
  }

  /** Rejects when the connection failed. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /** Throws `BlockedAddress`, or the error of network, TLS or broker. */
  static async open(
    sink: AmqpSink,
    password: string,
    names: ReceiverNames,
    signal: AbortSignal,
  ): Promise<AmqpConnection> {
    const { host, port, vhost, tls } = amqpAddress(new URL(sink.url));
    // A socket does not look up an address.
    if (isIP(host) !== 0) names.check(host, !tls);
    const socket = new AbortController();
    const abort = () => socket.abort();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      // The signal is in the types of neither library nor Node.js, which pass it on to the socket.
      const options = {
        lookup: names.lookup(!tls),
        signal: socket.signal,
        noDelay: true,
        keepAlive: true,
        clientProperties: { connection_name: 'ledgerhouse change stream' },
        ...(sink.certificateAuthority !== null && { ca: sink.certificateAuthority }),
      };
      const model = await connect(
        {
          protocol: tls ? 'amqps' : 'amqp',
          hostname: host,
          port,
          vhost: encodeURIComponent(vhost),
          username: sink.username,
          password,
          frameMax,
          maxFrameSize: frameMax,
          heartbeat: heartbeatSeconds,
        },
        options,
      );
      // The socket's end comes as an event, whenever it comes.
      model.on('error', () => {});
      const { stream } = model.connection as unknown as { readonly stream: Socket };
      stream.on('readable', () => {
        if (stream.bytesRead > readMax.cutAt) socket.abort();
      });
      const channel = await model.createConfirmChannel();
      // An error that is thrown before the library handles it ends the connection.
      for (const event of ['ack', 'nack']) {
        channel.prependListener(event, (confirmation: Confirmation) =>
          checkConfirmation(channel as unknown as Unconfirmed, confirmation),
        );
      }
      const connection = new AmqpConnection(channel, socket, () => stream.bytesRead);
      const { reject } = connection.#failure;
      channel.on('error', reject);
      model.on('error', reject);
      model.on('close', (error) => reject(error ?? new Error('the broker closed the connection')));
      channel.on('close', () => reject(new Error('the broker closed the channel')));
      model.on('blocked', (reason) => connection.#block(reason));
      model.on('unblocked', () => connection.#unblock());
      channel.on('return', ({ fields }) => {
        connection.#returned ??= String((fields as { replyText?: unknown }).replyText);
      });
      if (sink.exchange !== '') await channel.checkExchange(sink.exchange);
      return connection;
    } catch (error) {
      socket.abort();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #block(reason: string): void {
    this.blocked = reason;
    this.#patience = setTimeout(() => this.close(), blockedMaxMs);
  }

  #unblock(): void {
    this.blocked = undefined;
    clearTimeout(this.#patience);
  }

  /** The broker's reason for sending a message back, since the last call: no queue takes it. */
  takeReturned(): string | undefined {
    const reason = this.#returned;
    this.#returned = undefined;
    return reason;
  }

  /** Ends it at once: what the broker has not confirmed is sent again. */
  close(): void {
    clearTimeout(this.#patience);
    this.#socket.abort();
  }
}
