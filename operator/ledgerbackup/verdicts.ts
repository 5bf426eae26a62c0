/** Results of a look at a backup that is being made. */
import type { BackupReason } from '../../domain/conditions.ts';
import { LOOK_AGAIN_MS, timeOf, type BackupEnvironment, type Verdict } from './environment.ts';

export const waits = (reason: BackupReason, message: string): Verdict => ({
  status: 'Unknown',
  reason,
  message,
  requeueAfterMs: LOOK_AGAIN_MS,
});

/** The final result: nothing follows it. */
export const ended = (
  environment: BackupEnvironment,
  failure: { readonly reason: BackupReason; readonly message: string },
): Verdict => ({
  status: 'False',
  reason: failure.reason,
  message: failure.message,
  facts: { completedAt: timeOf(environment) },
});
