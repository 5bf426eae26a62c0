/** The headers `traceparent` and `tracestate` of W3C Trace Context, version 00. */

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller records its spans. */
  readonly sampled: boolean;
  /** Content of `tracestate`; empty: there is none, or it is not valid. */
  readonly state: string;
}

const parentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,200})?$/;
const memberPattern =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const stateMax = 512;
const membersMax = 32;

/** Returns `undefined` if `traceparent` is absent or not valid: then its sender is treated as one without a trace. */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    parentPattern.exec(traceparent ?? '') ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // Only later versions may have more fields.
  if (version === '00' && more !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, sampled, state: validState(tracestate) };
}

export const traceparentOf = ({ traceId, spanId, sampled }: Omit<TraceContext, 'state'>): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

const isZero = (digits: string): boolean => /^0+$/.test(digits);

function validState(text = ''): string {
  if (text === '' || text.length > stateMax) return '';
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => member.split('=')[0]));
  const isValid =
    members.length <= membersMax &&
    keys.size === members.length &&
    members.every((member) => memberPattern.test(member));
  return isValid ? members.join(',') : '';
}
