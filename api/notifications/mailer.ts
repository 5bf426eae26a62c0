/**
 * Writes the mails of notifications: at once, and one a day. Events are taken, and daily mails moved to the next day, in the transaction that writes
 * the mails: several workers share the work, and one that dies leaves it to another. Sending is another part's (api/mail).
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemAuthor } from '../model/actor.ts';
import type { StoredEvent } from '../model/event.ts';
import { mailOf } from '../model/notification-kinds.ts';
import type { Change } from '../store/change.ts';
import { organizationsWithEvents, takeEvents } from '../store/event-positions.ts';
import { enqueueMail } from '../store/mails.ts';
import {
  countMail,
  listMailReaders,
  mailsOfDayMax,
  postponeDigest,
  takeDigest,
  type DueDigest,
  type MailReader,
} from '../store/notification-mails.ts';
import { listNotifications } from '../store/notifications.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Sealer } from '../store/sealing.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';
import { filterOf, isNotified, isOfAKind } from './chosen.ts';
import { dailyMail, linesMax, mailAtOnce } from './mail-text.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';

export interface NotificationMailerOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly links: UnsubscribeLinks;
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Interval between looks; what happens meanwhile comes in one mail. */
  readonly everyMs?: number;
}

/** The name under which it takes events; migration 48 has it, too. */
const consumer = 'notification mails';
const author = systemAuthor('notification mails');
const everyDefaultMs = 5_000;
/** Events of one transaction. */
const eventsMax = 200;
/** Transactions for one organization in a round, so that none keeps the others waiting. */
const piecesMax = 20;
const organizationsMax = 500;
const digestsMax = 500;
/** After an outage, what is older is only in the application: it is no news. */
const newsMs = 24 * 60 * 60 * 1_000;

export class NotificationMailer {
  readonly #options: NotificationMailerOptions;
  readonly #task: RepeatingTask;

  constructor(options: NotificationMailerOptions) {
    const { logger, everyMs = everyDefaultMs } = options;
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#round(signal),
      onFailure: (error) =>
        logger.warn({ err: error }, 'mails of notifications could not be written'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    for (const id of await organizationsWithEvents(store.read, consumer, organizationsMax)) {
      await this.#tellOrganization(id, signal);
    }
    for (let digests = 0; digests < digestsMax && !signal.aborted; digests += 1) {
      if (!(await this.#tellDay())) break;
    }
  }

  /** One whose events cannot be told keeps no other one waiting; it is tried again with the next round. */
  async #tellOrganization(organizationId: string, signal: AbortSignal): Promise<void> {
    try {
      for (let pieces = 0; pieces < piecesMax && !signal.aborted; pieces += 1) {
        if (!(await this.#tellEvents(organizationId))) break;
      }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      this.#options.logger.warn(
        { err: error, organizationId },
        'mails of an organization’s notifications could not be written',
      );
    }
  }

  /** Returns whether there may be more events. */
  #tellEvents(organizationId: string): Promise<boolean> {
    return this.#options.store.change(author, async (change) => {
      const taken = await takeEvents(change, consumer, organizationId, eventsMax);
      const since = (await storeTime(change.db)).getTime() - newsMs;
      const news = taken.filter((event) => isOfAKind(event) && event.occurredAt.getTime() > since);
      if (news.length > 0) {
        for (const reader of await listMailReaders(change.db, organizationId)) {
          await this.#tellAtOnce(change, reader, news);
        }
      }
      return taken.length === eventsMax;
    });
  }

  async #tellAtOnce(
    change: Change,
    reader: MailReader,
    news: readonly StoredEvent[],
  ): Promise<void> {
    const filter = filterFor(reader, 'mailKinds');
    const events = news.filter((event) => isNotified(filter, reader.userId, event));
    if (events.length === 0) return;
    const count = await countMail(change, reader);
    if (count > mailsOfDayMax) return;
    const facts = await this.#factsFor(change, reader, events);
    await this.#write(change, reader, mailAtOnce(facts, count === mailsOfDayMax));
  }

  /** Returns false if no daily mail is due. One that cannot be written keeps no other one waiting. */
  async #tellDay(): Promise<boolean> {
    const { store, logger } = this.#options;
    let due: DueDigest | undefined;
    try {
      return await store.change(author, async (change) => {
        due = await takeDigest(change);
        if (due === undefined) return false;
        await this.#tellDigest(change, due);
        return true;
      });
    } catch (error) {
      if (error instanceof StoreUnavailable || due === undefined) throw error;
      logger.warn({ err: error, ...due.of }, 'a daily mail of notifications could not be written');
      await postponeDigest(store.read, due.of);
      return true;
    }
  }

  async #tellDigest(change: Change, { reader, after, through }: DueDigest): Promise<void> {
    if (reader === undefined) return;
    const { rows } = await listNotifications(
      change.db,
      reader,
      { ...filterFor(reader, 'digestKinds'), afterSequence: after },
      { limit: linesMax + 1, position: [String(BigInt(through) + 1n)] },
    );
    if (rows.length === 0) return;
    const facts = await this.#factsFor(change, reader, rows.toReversed());
    await this.#write(change, reader, dailyMail(facts));
  }

  async #factsFor({ db }: Change, reader: MailReader, events: readonly StoredEvent[]) {
    const { links, publicUrl } = this.#options;
    const organization = await findOrganization(db, reader.organizationId);
    return {
      events: events.slice(-linesMax),
      more: events.length > linesMax,
      organization: { name: organization?.name ?? '', slug: organization?.slug ?? '' },
      publicUrl,
      unsubscribeUrl: links.linkFor(reader),
    };
  }

  #write(change: Change, { address: to }: MailReader, mail: ReturnType<typeof dailyMail>) {
    return enqueueMail(change, this.#options.sealer, { to, ...mail });
  }
}

function filterFor({ role, databaseIds, settings }: MailReader, list: 'mailKinds' | 'digestKinds') {
  const onlyDatabases = databaseIds ?? undefined;
  return filterOf({ role, onlyDatabases, settings }, mailOf(role, settings)[list]);
}
