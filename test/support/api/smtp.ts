/** A real SMTP server on the loopback. It keeps the mails that it receives, and refuses as the test says. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  /** Whether it came over TLS, and who had signed in. */
  readonly secure: boolean;
  readonly user: unknown;
}

/** An answer that says no, as `550 5.1.1 no such mailbox`. */
export function refusal(answer: string): Error {
  const [, code, words = ''] = /^(\d{3}) (.*)$/.exec(answer) ?? [];
  return Object.assign(new Error(words), { responseCode: Number(code) });
}

export class TestSmtp {
  readonly received: ReceivedMail[] = [];
  /** Commands received, with any answer. */
  readonly seen: ('connection' | 'sign-in' | 'sender')[] = [];
  password = 'correct';
  readonly #server: SMTPServer;
  readonly #listening: Server;

  private constructor(options: SMTPServerOptions, port: number) {
    this.#server = new SMTPServer({
      logger: false,
      disableReverseLookup: true,
      closeTimeout: 200,
      authOptional: true,
      // Each suite chooses the behaviour through `options`.
      ...this.#answers(),
      ...options,
    });
    // A client that goes away in the middle is what some tests are about.
    this.#server.on('error', () => {});
    this.#listening = this.#server.listen(port, '127.0.0.1');
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<TestSmtp> {
    const server = new TestSmtp(options, port);
    await once(server.#listening, 'listening');
    return server;
  }

  get port(): number {
    return (this.#listening.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  #answers(): SMTPServerOptions {
    return {
      onConnect: (_, next) => {
        this.seen.push('connection');
        next();
      },
      onAuth: ({ username, password }, _, next) => {
        this.seen.push('sign-in');
        if (username === 'ledger' && password === this.password) next(null, { user: username });
        else next(refusal('535 5.7.8 wrong password'));
      },
      onMailFrom: (_, __, next) => {
        this.seen.push('sender');
        next();
      },
      onData: (stream, session, next) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            text: Buffer.concat(chunks).toString(),
            secure: session.secure,
            user: session.user,
          });
          next();
        });
      },
    };
  }
}
