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
import type { FeedAnswer, FeedPlace } from '../feed/archive-feed.ts';
import { decodeFeedPart } from '../feed/feed-body.ts';

export interface Feed {
  /** Resolves when something follows the place, or after `waitMs`. Rejects while the engine does not answer. */
  read(place: FeedPlace, waitMs: number, signal: AbortSignal): Promise<FeedAnswer>;
  report(report: ArchiveReport): Promise<void>;
  /** Resolves with a question about the archived log; `undefined` after `waitMs` without one. */
  question(waitMs: number, signal: AbortSignal): Promise<ArchiveQuestion | undefined>;
  answer(answer: ArchiveAnswer): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export class FeedClient implements Feed {
  readonly #address: HostPort;

  /** `address`: where the engine serves its status. */
  constructor(address: HostPort) {
    this.#address = address;
  }

  async read(
    { op, checksum }: FeedPlace,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<FeedAnswer> {
    const query = new URLSearchParams({ after: String(op), wait: String(waitMs) });
    if (checksum !== undefined) query.set('checksum', Buffer.from(checksum).toString('hex'));
    const within = AbortSignal.any([signal, AbortSignal.timeout(waitMs + TIMEOUT_MS)]);
    const { type, body } = await this.#ask('GET', `/log?${query.toString()}`, undefined, within);
    if (type === 'application/octet-stream') return { kind: 'part', ...decodeFeedPart(body) };
    return JSON.parse(body.toString('utf8')) as FeedAnswer;
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
  ): Promise<{ readonly type: string | undefined; readonly body: Buffer }> {
    const { host, port } = this.#address;
    return new Promise((resolve, reject) => {
      const asked = request({ host, port, method, path, signal }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const body = Buffer.concat(parts);
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
