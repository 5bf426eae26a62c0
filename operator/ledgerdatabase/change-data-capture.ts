/** The condition of a database's change streams, from the state that the API's worker wrote into the status. Pure. */
import { STREAM_LATE_SECONDS, streamsSuspended } from '../../domain/change-data-capture.ts';
import type { ReasonOf } from '../../domain/conditions.ts';
import type { Condition } from '../../domain/custom-resources.ts';
import type { Draft, StepResult } from './draft.ts';
import type { Observation } from './observation.ts';

type Verdict = readonly [Condition['status'], ReasonOf<'ChangeDataCaptureHealthy'>, string];

/** The worker writes every five minutes; after so long without it nobody knows. */
const SILENT_MS = 20 * 60_000;

export function changeDataCapture({ database, nowMs }: Observation): Verdict {
  const { spec, status } = database;
  const told = status?.changeDataCapture;
  if (streamsSuspended(spec)) {
    return [
      'Unknown',
      'Suspended',
      'spec.changeDataCapture.suspend is true: all streams stand still',
    ];
  }
  if (told === undefined || told.streams === 0) {
    return ['Unknown', 'NoStreams', 'the database has no change streams'];
  }
  if (spec.suspend) return ['Unknown', 'Suspended', 'the database is suspended'];
  if (nowMs > silentAt(told)) {
    return [
      'Unknown',
      'NotKnown',
      'the worker of the API has not said for twenty minutes how the streams stand',
    ];
  }
  const { streams, running, failing, failed, paused, lagSeconds } = told;
  const why = told.error === undefined ? '' : `: ${told.error}`;
  if (failed > 0) {
    return [
      'False',
      'Failed',
      `${failed} of ${streams} streams have stopped until somebody resumes them${why}`,
    ];
  }
  if (failing > 0) {
    return [
      'False',
      'Failing',
      `${failing} of ${streams} streams fail for more than a minute, and are tried again${why}`,
    ];
  }
  if (paused === streams) return ['Unknown', 'AllPaused', 'all streams are paused'];
  if (lagSeconds === undefined) {
    return ['Unknown', 'NotKnown', 'nobody knows whether events wait: the ledger was not read'];
  }
  if (lagSeconds > STREAM_LATE_SECONDS) {
    return [
      'False',
      'Lagging',
      'an event has waited for more than a minute; status.changeDataCapture has the lag',
    ];
  }
  const others = paused === 0 ? '' : `; ${paused} are paused`;
  return ['True', 'Healthy', `${running} of ${streams} streams deliver what happens${others}`];
}

const silentAt = ({ observedAt }: { readonly observedAt: string }): number =>
  Date.parse(observedAt) + SILENT_MS;

/** Looks again when the worker has been silent for too long. */
export function awaitStreamNews({ database, nowMs }: Observation, draft: Draft): StepResult {
  const told = database.status?.changeDataCapture;
  if (told !== undefined && told.streams > 0) {
    const leftMs = silentAt(told) - nowMs;
    if (leftMs >= 0) draft.again(leftMs + 1_000);
  }
  return 'continue';
}
