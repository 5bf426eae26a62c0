/** Sends the mails in the store, one after the other, as long as the process runs. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers } from '../../base/timers.ts';
import { endMail, takeMail } from '../store/mails.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { PermanentMailFailure, type MailTransport } from './transport.ts';

export interface MailSenderOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly transport: MailTransport;
  readonly logger: Logger;
  /** Interval between polls that find nothing. */
  readonly everyMs?: number;
  /** Timeout of sending one mail. */
  readonly sendMaxMs?: number;
}

const everyDefaultMs = 2_000;
/** Less than the minute after which another process tries the same mail. */
const sendMaxDefaultMs = 50_000;
/** Time to finish a mail when the process stops: an interrupted mail might be sent twice. */
const stopMaxMs = 5_000;
/** Maximum of tries; with the waits between them they take more than a day. */
const attemptsMax = 15;

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #task: RepeatingTask;
  readonly #abandoning = new AbortController();

  constructor(options: MailSenderOptions) {
    const { logger, everyMs = everyDefaultMs } = options;
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#sendAll(signal),
      onFailure: (error) =>
        logger.warn({ err: error }, 'the next mail could not be read from the store'),
    });
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    const cancel = systemTimers.after(stopMaxMs, () => this.#abandoning.abort());
    await this.#task.stop();
    cancel();
    this.#options.transport.close();
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#sendNext()));
  }

  /** Sends the next mail. Returns false if there is none. */
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
      logger.warn({ err: error, mailId: id, attempt, isLast }, 'a mail could not be sent');
      if (isLast) await endMail(store.read, id, 'givenUpAt');
      return true;
    }
    await endMail(store.read, id, 'sentAt');
    logger.info({ mailId: id, attempt }, 'a mail was sent');
    return true;
  }
}
