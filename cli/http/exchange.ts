/**
 * Sends requests: one attempt after another until one is answered, or until another attempt cannot help.
 *
 * A repeatable request is tried again after 429, 502, 503, 504 and broken connections, at most three times, after the wait that
 * the service asks for (Retry-After) or a growing one; the same holds while the service still works on an earlier attempt. Any
 * other request is tried again only if the attempt certainly did nothing. An attempt without an answer is remembered: if no later
 * attempt is answered either, the outcome is unknown.
 */
import { assert } from '../../base/assert.ts';
import { startDeadline } from '../../base/deadline.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import { retryAfterMs } from '../../clients/typescript/src/retry-after.ts';
import { mayPass, retryLimits, waitAfterMs } from '../../clients/typescript/src/retry.ts';
import { CliFailure } from '../failure.ts';
import { ExitCode } from '../exit-code.ts';
import type { Output } from '../output/output.ts';
import type { Settings } from '../settings.ts';
import { Answer } from './answer.ts';
import { classifyConnectionFailure } from './connection-failure.ts';
import { failureOf } from './problem.ts';
import { headersOf, shownHeaders, type ApiRequest } from './request.ts';

const { attemptsMax, waitMaxMs, timeoutMs } = retryLimits;
/** Twice the largest answer in bytes: 8,189 accounts with every field at its longest take 6 MB. */
const answerSizeMax = 16 * 1024 * 1024;

interface ExchangeOptions {
  readonly settings: Settings;
  /** Returns the settings with a credential that is valid now: a command may outlast an access token. */
  readonly freshSettings: () => Promise<Settings>;
  readonly output: Output;
  readonly timers: Timers;
  readonly random: () => number;
  readonly fetch: typeof fetch;
  readonly version: string;
  readonly retry: boolean;
}

interface SendOptions {
  /** Ends the request, which throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Makes one attempt only, for callers with their own retries. */
  readonly once?: boolean;
}

/** Result of one unsuccessful attempt. */
interface Failed {
  readonly failure: CliFailure;
  /** Whether a repetition could execute the request twice. */
  readonly maybeExecuted: boolean;
  /** Whether there was no answer about the request's outcome. */
  readonly unanswered: boolean;
  readonly retryable: boolean;
}

export class Exchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Returns a successful answer (2xx, or 304 to If-None-Match); throws a `CliFailure` for everything else. */
  async send(request: ApiRequest, { signal, once = false }: SendOptions = {}): Promise<Answer> {
    const { settings } = this.#options;
    const retry = this.#options.retry && !once;
    if (settings.apiKey === undefined && request.anonymous !== true) throw noKey;
    let isUnknown = false;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(request, signal);
      if (outcome instanceof Answer) return outcome;
      const waitMs = waitAfterMs(
        attempt,
        outcome.failure.fields.retryAfterMs,
        this.#options.random,
      );
      const isSafe = request.repeatable || !outcome.maybeExecuted;
      isUnknown ||= outcome.unanswered && request.writes;
      if (!retry || !outcome.retryable || !isSafe || attempt >= attemptsMax || waitMs > waitMaxMs) {
        throw isUnknown ? outcomeUnknown(outcome.failure) : outcome.failure;
      }
      await this.#wait(outcome.failure, waitMs, { attempt, signal });
    }
  }

  async #wait(
    failure: CliFailure,
    waitMs: number,
    { attempt, signal }: { readonly attempt: number; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const { output, timers } = this.#options;
    const seconds = (waitMs / 1000).toFixed(1);
    output.note(
      `${failure.message}; trying again in ${seconds} s (${attempt} of ${attemptsMax - 1})`,
    );
    await sleep(timers, waitMs, signal);
  }

  async #attempt(request: ApiRequest, signal: AbortSignal | undefined): Promise<Answer | Failed> {
    const { settings, timers } = this.#options;
    const deadline = startDeadline(timers, request.timeoutMs ?? timeoutMs, signal);
    try {
      const answer = await this.#exchange(request, deadline.signal);
      return isSuccess(request, answer.status) ? answer : this.#refused(answer);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof CliFailure) throw error;
      const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : error;
      return classifyConnectionFailure(cause, new URL(settings.baseUrl).host);
    } finally {
      deadline.clear();
    }
  }

  async #exchange(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const { output, timers, version } = this.#options;
    const settings = await this.#settings();
    const headers = headersOf(request, settings, version);
    const url = `${settings.baseUrl}${request.path}`;
    const startedMs = timers.nowMs();
    output.trace(`> ${request.method} ${url}`);
    for (const header of shownHeaders(headers)) output.trace(`> ${header}`);
    if (request.body !== undefined) output.trace(`> (${request.body.length} bytes)`);
    const response = await this.#options.fetch(url, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: request.body as Uint8Array<ArrayBuffer> }),
      // Redirects are not followed: the key would be sent to their target.
      redirect: 'manual',
      signal,
    });
    const body = await readBody(response);
    const took = Math.round(timers.nowMs() - startedMs);
    const requestId = response.headers.get('x-request-id') ?? 'without a request ID';
    output.trace(`< ${response.status} ${requestId} (${body.length} bytes, ${took} ms)`);
    return new Answer(response.status, response.headers, body);
  }

  /** Only access tokens expire within hours. */
  async #settings(): Promise<Settings> {
    const { settings, freshSettings } = this.#options;
    return settings.apiKey?.startsWith('lha_') === true ? await freshSettings() : settings;
  }

  #refused(answer: Answer): Failed {
    const askedMs = retryAfterMs(answer.headers.get('retry-after'), this.#options.timers.wallMs());
    const failure = failureOf(answer).withRetryAfter(askedMs);
    const outcome = failure.fields.problem?.['outcome'];
    const unanswered = failure.fields.exitCode === ExitCode.Unknown;
    return {
      failure,
      retryable: mayPass(answer.status, failure.fields.code),
      // An answer on behalf of a service that is gone does not tell what the service did before.
      maybeExecuted: unanswered || (answer.status >= 500 && outcome !== 'not_executed'),
      unanswered,
    };
  }
}

const isSuccess = (request: ApiRequest, status: number): boolean =>
  (status >= 200 && status < 300) || (status === 304 && request.ifNoneMatch !== undefined);

async function readBody(response: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    assert(piece instanceof Uint8Array, 'a body is bytes');
    size += piece.length;
    if (size > answerSizeMax) {
      throw new CliFailure({
        exitCode: ExitCode.General,
        code: 'answer_too_large',
        title: 'The answer is too large',
        detail: `the answer is longer than ${answerSizeMax} bytes`,
        nextSteps: ['ask for fewer rows: --limit'],
      });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const noKey = new CliFailure({
  exitCode: ExitCode.Authentication,
  code: 'authentication_required',
  title: 'Authentication required',
  detail: 'no API key is given and nobody is signed in',
  nextSteps: [
    'set LEDGERHOUSE_API_KEY, or store a key: ledgerhouse config set api-key',
    'or sign in: ledgerhouse login',
  ],
});

/**
 * A 4xx keeps its exit status, which tells what to correct; the failure still says that an earlier attempt may have been
 * executed.
 */
function outcomeUnknown(failure: CliFailure): CliFailure {
  const { exitCode } = failure.fields;
  const isAnswered = exitCode !== ExitCode.General && exitCode !== ExitCode.RateLimited;
  return new CliFailure({
    ...failure.fields,
    exitCode: isAnswered ? exitCode : ExitCode.Unknown,
    problem: { ...failure.fields.problem, outcome: 'unknown' },
  }).withNextSteps('the request may have been executed');
}
