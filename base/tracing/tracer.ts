/**
 * Traces of requests: a span for the request, and spans for what it waits for. A caller with a valid `traceparent` gets them within
 * its own trace, once it is known who it is: before that, anybody could write into anybody's trace.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { systemTimers, type Timers } from '../timers.ts';
import { encodeSpan, SpanKind, type Attributes, type FinishedSpan } from './otlp.ts';
import { readTraceContext, traceparentOf, type TraceContext } from './trace-context.ts';

interface TracerOptions {
  /** Takes a span of the owner. */
  readonly add: (text: string, owner: string) => void;
  /** Part of the requests without a `traceparent` that is recorded: 0 to 1. */
  readonly share: number;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** A span as those tell it who know it; times are of the monotonic clock, as `Timers.nowMs` reads it. */
export interface ToldSpan {
  readonly name: string;
  readonly kind: FinishedSpan['kind'];
  readonly startedMs: number;
  readonly endedMs: number;
  readonly failed?: boolean;
  readonly attributes: Attributes;
}

/** Traces a second that an owner has recorded because its `traceparent` says so. Beyond that the share decides. */
export const askedPerSecond = 10;
/** A stream that lasts for hours waits for thousands of things. */
const innerSpansMax = 64;

export class Tracer {
  readonly #options: TracerOptions;
  readonly timers: Timers;
  readonly #random: () => number;
  readonly #asked = new Map<string, number>();
  #askedSecond = 0;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.timers = options.timers ?? systemTimers;
    this.#random = options.random ?? Math.random;
  }

  /** Begins the trace of one request, now. The arguments are its headers, as received. */
  begin(traceparent: string | undefined, tracestate: string | undefined): Trace {
    return new Trace(this, readTraceContext(traceparent, tracestate));
  }

  /** Whether a trace that nobody asked for is recorded. */
  draws(): boolean {
    return this.#random() < this.#options.share;
  }

  /** Whether a trace that its caller asks for is recorded. */
  mayAsk(owner: string): boolean {
    const second = Math.floor(this.timers.nowMs() / 1_000);
    if (second !== this.#askedSecond) {
      this.#askedSecond = second;
      this.#asked.clear();
    }
    const asked = (this.#asked.get(owner) ?? 0) + 1;
    this.#asked.set(owner, asked);
    return asked <= askedPerSecond;
  }

  record(span: FinishedSpan, owner: string): void {
    this.#options.add(encodeSpan(span), owner);
  }
}

export class Trace {
  readonly #tracer: Tracer;
  readonly #caller: TraceContext | undefined;
  readonly #startedMs: number;
  /** Difference of the two clocks when the request came: a clock that is set meanwhile changes no duration. */
  readonly #wallOffsetMs: number;
  readonly #spanId = newId(8);
  #traceId = newId(16);
  #joined: TraceContext | undefined;
  #owner = 'nobody';
  #inner = 0;
  /** The spans are sent to the collector. */
  recorded: boolean;

  constructor(tracer: Tracer, caller: TraceContext | undefined) {
    this.#tracer = tracer;
    this.#caller = caller;
    this.recorded = tracer.draws();
    this.#startedMs = tracer.timers.nowMs();
    this.#wallOffsetMs = tracer.timers.wallMs() - this.#startedMs;
  }

  get traceId(): string {
    return this.#traceId;
  }

  /** The request has a valid credential of the owner: from now on it belongs to its caller's trace. */
  admit(owner: string): void {
    this.#owner = owner;
    const caller = this.#caller;
    if (caller === undefined) return;
    this.#joined = caller;
    this.#traceId = caller.traceId;
    if (!caller.sampled) this.recorded = false;
    else if (this.#tracer.mayAsk(owner)) this.recorded = true;
  }

  /** Headers for requests that are made for this one. */
  headers(): Readonly<Record<string, string>> {
    const traceparent = traceparentOf({
      traceId: this.#traceId,
      spanId: this.#spanId,
      sampled: this.recorded,
    });
    const state = this.#joined?.state ?? '';
    return { traceparent, ...(state !== '' && { tracestate: state }) };
  }

  /** Records something that the request waited for. */
  addInner(span: ToldSpan): void {
    if (!this.recorded || this.#inner === innerSpansMax) return;
    this.#inner += 1;
    this.#record(span, newId(8), { spanId: this.#spanId, isRemote: false });
  }

  /** Records the request itself, which ends now. Called once. */
  end(span: Omit<ToldSpan, 'kind' | 'startedMs' | 'endedMs'>): void {
    if (!this.recorded) return;
    const times = { startedMs: this.#startedMs, endedMs: this.#tracer.timers.nowMs() };
    const parent = this.#joined && { spanId: this.#joined.spanId, isRemote: true };
    this.#record({ ...span, ...times, kind: SpanKind.server }, this.#spanId, parent);
  }

  #record(span: ToldSpan, spanId: string, parent: FinishedSpan['parent']): void {
    const { name, kind, startedMs, endedMs, failed = false, attributes } = span;
    this.#tracer.record(
      {
        traceId: this.#traceId,
        spanId,
        parent,
        state: this.#joined?.state ?? '',
        name,
        kind,
        startMs: startedMs + this.#wallOffsetMs,
        endMs: endedMs + this.#wallOffsetMs,
        failed,
        attributes,
      },
      this.#owner,
    );
  }
}

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

const traces = new AsyncLocalStorage<Trace>();

/** Runs `work` within the trace, so that whatever it calls finds it. Without a trace it just runs. */
export const withinTrace = <T>(trace: Trace | undefined, work: () => T): T =>
  trace === undefined ? work() : traces.run(trace, work);

/** The trace of the request for which this code runs. */
export const currentTrace = (): Trace | undefined => traces.getStore();
