/** Publishes pages to a broker that speaks AMQP 0-9-1: the next page follows when the broker has confirmed each message of this one. */
import type { ChangeEventsPage } from '../../ledger/change-events.ts';
import type { AmqpSink } from '../../model/change-stream.ts';
import type { ReceiverNames } from '../../webhooks/resolver.ts';
import { AmqpConnection, FalseConfirmation } from './amqp-connection.ts';
import { amqpMessages } from './amqp-messages.ts';
import { sendToBroker } from './broker-failures.ts';
import { brokerText } from './broker-text.ts';
import { delivered, failed, type Delivery, type OpenSink, type PreparedPage } from './sink.ts';

interface AmqpSinkParts {
  readonly sink: AmqpSink;
  readonly password: string;
  readonly databaseId: string;
  readonly names: ReceiverNames;
}

/** A page, its text and its frames have about 3 MiB. */
const pageMax = 1_000;
/** Messages that are written before the process looks at the network: the broker begins with them while the next ones are written. */
const writtenAtOnce = 100;

export function amqpSink(parts: AmqpSinkParts): OpenSink {
  const { sink, databaseId } = parts;
  const publisher = new AmqpPublisher(parts);
  return {
    pageMax,
    prepare({ rows }: ChangeEventsPage): PreparedPage {
      const messages = amqpMessages(rows, sink, databaseId);
      const bytes = messages.reduce((sum, { body }) => sum + body.length, 0);
      return { bytes, send: (abandoning) => publisher.send(messages, abandoning) };
    },
    close: () => publisher.close(),
  };
}

/** Resolves when the process has looked at the network again. */
const networkLookedAt = () => new Promise<void>((resolve) => void setImmediate(resolve));

type Messages = ReturnType<typeof amqpMessages>;

class AmqpPublisher {
  readonly #parts: AmqpSinkParts;
  #connection: AmqpConnection | undefined;

  constructor(parts: AmqpSinkParts) {
    this.#parts = parts;
  }

  send(messages: Messages, abandoning: AbortSignal): Promise<Delivery> {
    let connection: AmqpConnection | undefined;
    return sendToBroker({
      abandoning,
      close: () => this.close(),
      publish: async (signal) => {
        connection = await this.#open(signal);
        return this.#publish(connection, messages, signal);
      },
      failureOf: (error) => {
        const blocked = connection?.blocked;
        return blocked === undefined
          ? amqpFailure(error)
          : failed('BLOCKED', `The broker takes no messages at present: ${brokerText(blocked)}.`);
      },
    });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #open(signal: AbortSignal): Promise<AmqpConnection> {
    const { sink, password, names } = this.#parts;
    if (this.#connection?.isUsedUp === true) this.close();
    this.#connection ??= await AmqpConnection.open(sink, password, names, signal);
    if (signal.aborted) this.close();
    if (this.#connection === undefined) throw new Error('it is too late');
    return this.#connection;
  }

  async #publish(
    connection: AmqpConnection,
    messages: Messages,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { exchange, routingKey } = this.#parts.sink;
    const { promise: rejection, resolve } = Promise.withResolvers<unknown>();
    let unconfirmed = messages.length;
    const answered = (error: unknown) => {
      unconfirmed -= 1;
      if (error !== null) resolve(error);
      else if (unconfirmed === 0) resolve(undefined);
    };
    const write = async () => {
      for (let from = 0; from < messages.length && !signal.aborted; from += writtenAtOnce) {
        for (const { body, options } of messages.slice(from, from + writtenAtOnce)) {
          connection.channel.publish(exchange, routingKey, body, options, answered);
        }
        await networkLookedAt();
      }
      return rejection;
    };
    const rejected = await Promise.race([write(), connection.failure]);
    // A channel that closes rejects its messages before it says why.
    if (rejected !== undefined) await Promise.race([networkLookedAt(), connection.failure]);
    // A message that comes back does so before its confirmation.
    const returned = connection.takeReturned();
    if (returned !== undefined) {
      return failed(
        'UNROUTABLE',
        `No queue takes the messages of ${place(exchange, routingKey)}: ${brokerText(returned)}. Bind a queue; nothing is lost meanwhile.`,
      );
    }
    if (rejected === undefined) return delivered;
    return failed('REJECTED', 'The broker did not take the messages; a queue may be full.');
  }
}

const place = (exchange: string, routingKey: string): string =>
  exchange === ''
    ? `the queue “${routingKey}”`
    : `the exchange “${exchange}” with the routing key “${routingKey}”`;

/** Replies of AMQP, in errors of the library. */
const replies: Readonly<Record<number, 'ACCESS_REFUSED' | 'NOT_FOUND'>> = {
  403: 'ACCESS_REFUSED',
  404: 'NOT_FOUND',
  // The virtual host is not there, or is not this user's.
  530: 'NOT_FOUND',
};

/** Reply of the broker; `undefined`: the error is the network's. */
function amqpFailure(error: unknown): Delivery | undefined {
  if (error instanceof FalseConfirmation) {
    return failed('CONNECTION_ERROR', 'The broker confirmed messages that it was not sent.');
  }
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  // The library puts the reply of the broker into its text only, when a handshake ends.
  const reply = typeof code === 'number' ? code : Number(/server: (\d{3}) /.exec(message)?.[1]);
  const said = /with message "(.*)"$/s.exec(message)?.[1];
  // The library does not read why the broker ended the handshake here; there is one reason.
  if (message.startsWith('Expected ConnectionOpenOk; got <ConnectionClose')) {
    return failed('NOT_FOUND', 'The broker has no such virtual host, or it is not this user’s.');
  }
  if (said === undefined) return undefined;
  return failed(replies[reply] ?? 'CONNECTION_ERROR', `The broker says: ${brokerText(said)}.`);
}
