/** Failures of a stream that are neither its ledger's nor its sink's. */
import type { ChangeStream } from '../model/change-stream.ts';
import type { RunFailure, RunResult } from './stream-run.ts';

export const secretUnreadable: RunFailure['error'] = {
  code: 'secret_unreadable',
  message:
    'No signing key of the service opens the secret of this stream, so that no request can be signed. Nothing is lost. Give the stream another secret with gracePeriodSeconds 0, or have the administrator of the installation bring the signing key back.',
};

export const unexpected: RunFailure['error'] = {
  code: 'internal_error',
  message:
    'The service failed. Nothing is lost. The log of the workers says why, by the ID of the stream.',
};

/** It is tried again after `againMs`, because it ends only when somebody mends it. */
export const ourFault = (
  { failures }: ChangeStream,
  error: RunFailure['error'],
  againMs: number,
): RunResult => ({
  kind: 'failed',
  failure: {
    part: 'SERVICE',
    error,
    failures: failures + 1,
    retryAfterMs: againMs,
    gone: false,
    bytes: 0,
    pendingFrom: null,
  },
});
