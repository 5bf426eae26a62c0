/**
 * Sends spans to a collector of OpenTelemetry, in batches, over HTTP. Spans wait in a queue of bounded size, of which one owner gets
 * half; what has no room is dropped. So a slow or dead collector costs memory up to that size, and nobody waits for it.
 */
import { backoffMs } from '../backoff.ts';
import { sleep, systemTimers, type Timers } from '../timers.ts';
import { encodeRequest, type Attributes } from './otlp.ts';

export interface SpanExporterOptions {
  /** Address of the collector without a path, `http(s)://host:port`. */
  readonly endpoint: string;
  /** Attributes of the process. */
  readonly resource: Attributes;
  /** Name of the program that makes the spans. */
  readonly scope: string;
  readonly onSent: (spans: number) => void;
  readonly onDropped: (spans: number) => void;
  /** Called when batches begin to be dropped, and with `undefined` when one arrives again. */
  readonly onTrouble: (error: Error | undefined) => void;
  readonly timers?: Timers;
  readonly queueBytesMax?: number;
}

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  readonly owner: string;
}

const path = '/v1/traces';
const queueBytesMax = 2 * 1024 * 1024;
/** A batch is sent when it has this size, or this long after its first span. */
const batchBytes = 128 * 1024;
const batchWaitMs = 1_000;
const requestTimeoutMs = 5_000;
const triesMax = 5;
const retry = { baseMs: 1_000, maxMs: 30_000 };
const answerBytesMax = 64 * 1024;
/** Statuses after which the same request may be sent again, by OTLP's specification. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #timers: Timers;
  readonly #bytesMax: number;
  readonly #queue: Waiting[] = [];
  readonly #ownerBytes = new Map<string, number>();
  #bytes = 0;
  #pause = new AbortController();
  readonly #stopping = new AbortController();
  readonly #ended = new AbortController();
  #loop: Promise<void> | undefined;
  #inTrouble = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#bytesMax = options.queueBytesMax ?? queueBytesMax;
  }

  /** Takes an encoded span, or drops it when the queue or the owner's half of it is full. */
  add(text: string, owner: string): void {
    const bytes = Buffer.byteLength(text);
    const held = this.#ownerBytes.get(owner) ?? 0;
    const isFull = this.#bytes + bytes > this.#bytesMax || held + bytes > this.#bytesMax / 2;
    if (isFull || this.#stopping.signal.aborted) {
      this.#options.onDropped(1);
      return;
    }
    this.#queue.push({ text, bytes, owner });
    this.#bytes += bytes;
    this.#ownerBytes.set(owner, held + bytes);
    if (this.#bytes >= batchBytes) this.#pause.abort();
    this.#loop ??= this.#send();
  }

  /** Sends what waits, for at most `waitMs`, and drops the rest. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping.abort();
    this.#pause.abort();
    const cancel = this.#timers.after(waitMs, () => this.#ended.abort());
    await this.#loop;
    cancel();
  }

  async #send(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#bytes < batchBytes && !this.#stopping.signal.aborted) {
        this.#pause = new AbortController();
        await sleep(this.#timers, batchWaitMs, this.#pause.signal);
      }
      const batch = this.#nextBatch();
      const error = this.#ended.signal.aborted ? new Error('stopped') : await this.#deliver(batch);
      this.#release(batch);
      if (error === undefined) this.#options.onSent(batch.length);
      else this.#options.onDropped(batch.length);
      this.#noteTrouble(error);
    }
    this.#loop = undefined;
  }

  /** The batch stays in the queue, and counts there, until it has been sent or given up. */
  #nextBatch(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#queue.findIndex((span) => (bytes += span.bytes) > batchBytes);
    return this.#queue.slice(0, end === -1 ? undefined : Math.max(1, end));
  }

  #release(batch: readonly Waiting[]): void {
    this.#queue.splice(0, batch.length);
    for (const { owner, bytes } of batch) {
      this.#bytes -= bytes;
      const left = (this.#ownerBytes.get(owner) ?? 0) - bytes;
      if (left > 0) this.#ownerBytes.set(owner, left);
      else this.#ownerBytes.delete(owner);
    }
  }

  /** Returns why the batch is given up, or `undefined` once the collector has it. */
  async #deliver(batch: readonly Waiting[]): Promise<Error | undefined> {
    const { resource, scope } = this.#options;
    const body = encodeRequest(
      resource,
      scope,
      batch.map(({ text }) => text),
    );
    const isStopping = () => this.#stopping.signal.aborted;
    for (let failures = 1; ; failures += 1) {
      const answer = await this.#post(body);
      if (!(answer instanceof NotTaken)) return answer;
      if (!answer.isPassing || failures === triesMax || isStopping()) return answer;
      const waitMs = answer.retryAfterMs ?? backoffMs(failures, retry, Math.random);
      await sleep(this.#timers, waitMs, this.#stopping.signal);
    }
  }

  async #post(body: string): Promise<Error | undefined> {
    const late = new AbortController();
    const cancel = this.#timers.after(requestTimeoutMs, () => late.abort());
    try {
      const response = await fetch(`${this.#options.endpoint}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([late.signal, this.#ended.signal]),
      });
      const text = await textOf(response);
      return response.ok ? rejection(text) : refusal(response);
    } catch (error) {
      return new NotTaken(reasonOf(error), { isPassing: true });
    } finally {
      cancel();
    }
  }

  #noteTrouble(error: Error | undefined): void {
    if (this.#inTrouble === (error !== undefined)) return;
    this.#inTrouble = error !== undefined;
    this.#options.onTrouble(error);
  }
}

class NotTaken extends Error {
  override readonly name = 'NotTaken';
  readonly isPassing: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(why: string, more: { readonly isPassing: boolean; readonly retryAfterMs?: number }) {
    super(why);
    this.isPassing = more.isPassing;
    this.retryAfterMs = more.retryAfterMs;
  }
}

function refusal({ status, headers }: Response): NotTaken {
  const [seconds] = /^\d{1,5}$/.exec(headers.get('retry-after') ?? '') ?? [];
  return new NotTaken(`the collector answered ${status}`, {
    isPassing: passing.has(status),
    ...(seconds !== undefined && { retryAfterMs: Math.min(Number(seconds) * 1_000, retry.maxMs) }),
  });
}

/** A collector may take a batch and refuse spans of it for good. */
function rejection(text: string): Error | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { partialSuccess } = (answer ?? {}) as { partialSuccess?: Record<string, unknown> };
  const rejected = Number(partialSuccess?.['rejectedSpans'] ?? 0);
  if (!(rejected > 0)) return undefined;
  const why = partialSuccess?.['errorMessage'];
  const told = typeof why === 'string' ? `: ${why.slice(0, 200)}` : '';
  return new Error(`the collector refused ${rejected} spans${told}`);
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > answerBytesMax) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** `fetch` hides the reason of the network in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
