/** Sends what the store has to be sent, one after the other, for as long as the process runs. */
import type { Logger } from 'pino';
import { sleep, systemTimers } from '../../base/timers.ts';
import { endMail, takeMail } from '../store/mails.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { PermanentMailFailure, type MailTransport } from './transport.ts';

export interface MailSenderOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly transport: MailTransport;
  readonly logger: Logger;
  /** Between two looks that find nothing. */
  readonly everyMs?: number;
  /** How long one mail may take. */
  readonly sendMaxMs?: number;
}

const everyDefaultMs = 2_000;
/** Below the minute after which another process tries the same mail. */
const sendMaxDefaultMs = 50_000;
/** For a mail that is being sent when the process is to end: cut short it might be sent twice. */
const stopMaxMs = 5_000;
/** With the waits between them more than a day. */
const attemptsMax = 15;

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  #run: Promise<void> | undefined;

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#run ??= this.#sendAll();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const cancel = systemTimers.after(stopMaxMs, () => this.#abandoning.abort());
    await this.#run;
    cancel();
    this.#options.transport.close();
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stopping;
    const { logger, everyMs = everyDefaultMs } = this.#options;
    while (!signal.aborted) {
      let sent = false;
      try {
        sent = await this.#sendNext();
      } catch (error) {
        logger.warn({ err: error }, 'mail cannot be taken from the store');
      }
      if (!sent) await sleep(systemTimers, everyMs, signal);
    }
  }

  /** False: there is nothing to send. */
  async #sendNext(): Promise<boolean> {
    const { store, sealer, transport, logger, sendMaxMs = sendMaxDefaultMs } = this.#options;
    const mail = await takeMail(store.read, sealer);
    if (mail === undefined) return false;
    const { id, attempt } = mail;
    try {
      const deadline = AbortSignal.timeout(sendMaxMs);
      await transport.send(mail, AbortSignal.any([deadline, this.#abandoning.signal]));
    } catch (error) {
      const isLast = attempt >= attemptsMax || error instanceof PermanentMailFailure;
      logger.warn({ err: error, mailId: id, attempt, isLast }, 'a mail was not sent');
      if (isLast) await endMail(store.read, id, 'givenUpAt');
      return true;
    }
    await endMail(store.read, id, 'sentAt');
    logger.info({ mailId: id, attempt }, 'a mail was sent');
    return true;
  }
}
