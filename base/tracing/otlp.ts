/**
 * Spans in the JSON form of OpenTelemetry's protocol (OTLP 1): IDs are hexadecimal digits, times are nanoseconds since 1970 as
 * decimal text, kinds and status codes are numbers.
 */

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export const SpanKind = { internal: 1, server: 2, client: 3 } as const;

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | undefined;
  /** Content of `tracestate`. */
  readonly state: string;
  readonly name: string;
  readonly kind: (typeof SpanKind)[keyof typeof SpanKind];
  /** Milliseconds since 1970, with parts. */
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  /** Attributes that are `undefined` are left out. */
  readonly attributes: Attributes;
}

const textMax = 256;
const statusError = 2;
/** Bits of `flags`: sampled; whether the parent's process is known; whether it is another one. */
const flags = { sampled: 0x1, knowsParent: 0x100, isRemote: 0x200 } as const;

export function encodeSpan(span: FinishedSpan): string {
  const { parent, state } = span;
  return JSON.stringify({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parent && { parentSpanId: parent.spanId }),
    ...(state !== '' && { traceState: state }),
    flags: flags.sampled | flags.knowsParent | (parent?.isRemote === true ? flags.isRemote : 0),
    name: textOf(span.name),
    kind: span.kind,
    startTimeUnixNano: nanosOf(span.startMs),
    endTimeUnixNano: nanosOf(Math.max(span.startMs, span.endMs)),
    attributes: encodeAttributes(span.attributes),
    status: span.failed ? { code: statusError } : {},
  });
}

/** Text of a request to a collector, around the encoded spans of one process. */
export function encodeRequest(
  resource: Attributes,
  scope: string,
  spans: readonly string[],
): string {
  const head = JSON.stringify({ attributes: encodeAttributes(resource) });
  return `{"resourceSpans":[{"resource":${head},"scopeSpans":[{"scope":${JSON.stringify({ name: scope })},"spans":[${spans.join(',')}]}]}]}`;
}

const encodeAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );

function encodeValue(value: string | number): Readonly<Record<string, string | number>> {
  if (typeof value === 'string') return { stringValue: textOf(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Half a surrogate pair has no form in UTF-8, and collectors refuse the whole request for it. */
const textOf = (text: string): string => text.slice(0, textMax).toWellFormed();

/** Microseconds are as fine as the clock is. */
const nanosOf = (ms: number): string => `${Math.round(ms * 1_000)}000`;
