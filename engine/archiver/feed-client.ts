/** The engine beside the archiver, over its status port. */
import { request } from 'node:http';
import {
  archiveQuestionSchema,
  type ArchiveAnswer,
  type ArchiveQuestion,
} from '../../domain/archive-question.ts';
import type { ArchiveReport } from '../../domain/archive-status.ts';
import { jsonOf } from '../../base/json.ts';
import type { HostPort } from '../../base/host-port.ts';
import type { FeedAnswer, FeedForm, FeedPlace } from '../feed/archive-feed.ts';
import { decodeFeedPart } from '../feed/feed-body.ts';
import { decodePlacedPart } from '../feed/placed-part.ts';

export interface Feed {
  /**
   * Resolves when something follows the place, or after `waitMs`. Rejects while the engine does not answer. The entries' memory belongs to the
   * answer until the next one is read. `form`: where the engine may name places instead.
   */
  read(place: FeedPlace, waitMs: number, signal: AbortSignal, form?: FeedForm): Promise<FeedAnswer>;
  report(report: ArchiveReport): Promise<void>;
  /** Resolves with a question about the archived log; `undefined` after `waitMs` without one. */
  question(waitMs: number, signal: AbortSignal): Promise<ArchiveQuestion | undefined>;
  answer(answer: ArchiveAnswer): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export class FeedClient implements Feed {
  readonly #address: HostPort;
  /** Takes the parts of the log, one after the other. */
  readonly #log = new ReusedBody();

  /** `address`: where the engine serves its status. */
  constructor(address: HostPort) {
    this.#address = address;
  }

  async read(
    { op, checksum }: FeedPlace,
    waitMs: number,
    signal: AbortSignal,
    form: FeedForm = 'entries',
  ): Promise<FeedAnswer> {
    const query = new URLSearchParams({ after: String(op), wait: String(waitMs) });
    if (checksum !== undefined) query.set('checksum', Buffer.from(checksum).toString('hex'));
    if (form !== 'entries') query.set('form', form);
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs + TIMEOUT_MS)]);
    const path = `/log?${query.toString()}`;
    const { type, body } = await this.#ask('GET', path, undefined, within, this.#log);
    if (type === 'application/octet-stream') return { kind: 'part', ...decodeFeedPart(body) };
    const answer = JSON.parse(body.toString('utf8')) as FeedAnswer;
    return answer.kind === 'places' ? { kind: 'places', ...decodePlacedPart(answer) } : answer;
  }

  async report(report: ArchiveReport): Promise<void> {
    await this.#ask('POST', '/archived', JSON.stringify(report), AbortSignal.timeout(TIMEOUT_MS));
  }

  async question(waitMs: number, signal: AbortSignal): Promise<ArchiveQuestion | undefined> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs + TIMEOUT_MS)]);
    const { body } = await this.#ask('GET', `/question?wait=${waitMs}`, undefined, within);
    const parsed = archiveQuestionSchema.safeParse(jsonOf(body.toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  }

  async answer(answer: ArchiveAnswer): Promise<void> {
    await this.#ask('POST', '/answer', JSON.stringify(answer), AbortSignal.timeout(TIMEOUT_MS));
  }

  /** Without `fetch`, whose memory would be a tenth of the archiver's. */
  #ask(
    method: string,
    path: string,
    sent: string | undefined,
    signal: AbortSignal,
    into = new ReusedBody(),
  ): Promise<{ readonly type: string | undefined; readonly body: Buffer }> {
    const { host, port } = this.#address;
    return new Promise((resolve, reject) => {
      const asked = request({ host, port, method, path, signal }, (answer) => {
        const begun = into.begin();
        answer.on('data', (part: Buffer) => into.add(begun, part));
        answer.on('error', reject);
        answer.on('end', () => {
          const { body } = into;
          const { statusCode = 0, headers } = answer;
          if (statusCode === 200) resolve({ type: headers['content-type'], body });
          else
            reject(new Error(`the engine refuses: ${statusCode} ${body.toString('utf8', 0, 200)}`));
        });
      });
      asked.on('error', reject);
      asked.end(sent);
    });
  }
}

/** A body that comes in parts, in memory that the next one uses again. */
class ReusedBody {
  #bytes = Buffer.alloc(0);
  #length = 0;
  #begun = 0;

  /** Forgets what is there. Parts of an answer that was begun before count no more. */
  begin(): number {
    this.#length = 0;
    this.#begun += 1;
    return this.#begun;
  }

  add(begun: number, part: Buffer): void {
    if (begun !== this.#begun) return;
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  get body(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
