/** Spans of one call: the wait in the gateway, and the engine's time. They say how much was asked for, never what. */
import { SpanKind } from '../../base/tracing/otlp.ts';
import type { Trace } from '../../base/tracing/tracer.ts';
import type { WireRequest } from '../ledger/decode.ts';
import type { CallCourse } from './call.ts';

export function traceCall(
  trace: Trace,
  databaseId: string,
  { operation, count }: WireRequest,
  { queuedAtMs, sentAtMs, endedAtMs, result, together }: CallCourse,
): void {
  const attributes = {
    'db.system.name': 'ledgerhouse',
    'db.namespace': databaseId,
    'db.operation.name': operation.name,
  };
  const failed = result !== 'answered';
  const error = failed ? { 'error.type': result } : {};
  const wasSent = sentAtMs !== undefined;
  trace.addInner({
    name: 'gateway wait',
    kind: SpanKind.internal,
    startedMs: queuedAtMs,
    endedMs: sentAtMs ?? endedAtMs,
    failed: failed && !wasSent,
    attributes: { ...attributes, ...(!wasSent && error) },
  });
  if (!wasSent) return;
  trace.addInner({
    name: operation.name,
    kind: SpanKind.client,
    startedMs: sentAtMs,
    endedMs: endedAtMs,
    failed,
    attributes: {
      ...attributes,
      'db.operation.batch.size': count,
      'ledgerhouse.requests_in_message': together,
      ...error,
    },
  });
}
