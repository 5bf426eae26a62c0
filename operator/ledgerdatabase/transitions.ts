/** Events about conditions: one for each change of a condition's status. */
import type { Logger } from 'pino';
import { cutText } from '../../base/cut-text.ts';
import type { Condition, DatabaseObject } from '../../domain/custom-resources.ts';
import { hasBegun } from '../../domain/fill.ts';
import { DataEvent, VolumeEvent } from '../../domain/conditions.ts';

export type Transitions = (before: DatabaseObject, after: DatabaseObject, logger: Logger) => void;

interface Turn {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Status of a condition that is bad news. */
const warnsWhen: Readonly<Record<string, Condition['status']>> = {
  Available: 'False',
  Stalled: 'True',
  ReplicasHealthy: 'False',
  StorageReady: 'False',
  CapacityLeft: 'False',
  DataIntact: 'False',
  BackupHealthy: 'False',
  ContinuousArchiving: 'False',
  ChangeDataCaptureHealthy: 'False',
};
const told = new Set([
  'Available',
  'Ready',
  'Stalled',
  'Bootstrapped',
  'ReplicasHealthy',
  'StorageReady',
  'VersionUpToDate',
  'Suspended',
  'Paused',
  'CapacityLeft',
  'DataIntact',
  'Autogrow',
  'BackupHealthy',
  'ContinuousArchiving',
  'ChangeDataCaptureHealthy',
]);

/** Conditions that are reported while a database is first made: the others turn one after the other, as they always do. */
const toldFirst = new Set(['Ready', 'Stalled', 'Suspended', 'Paused']);

/** Conditions that get an event for good news only after bad news. */
const newsAfterBad = new Set(['CapacityLeft', 'DataIntact']);

const isStarted = ({ status }: DatabaseObject): boolean =>
  hasBegun(status) && status?.version?.active !== undefined;

export function turnsOf(before: DatabaseObject, after: DatabaseObject): readonly Turn[] {
  const turns: Turn[] = [];
  const started = isStarted(after);
  const wasStarted = isStarted(before);
  for (const condition of after.status?.conditions ?? []) {
    if (!told.has(condition.type)) continue;
    if (!wasStarted && !toldFirst.has(condition.type)) continue;
    const old = before.status?.conditions?.find((one) => one.type === condition.type);
    const newlyStalled =
      condition.type === 'Stalled' &&
      condition.status === 'True' &&
      old?.reason !== condition.reason;
    if (old?.status === condition.status && !newlyStalled) continue;
    const bad = warnsWhen[condition.type] === condition.status;
    // While a database is being made, missing parts are not news.
    if (condition.type !== 'Stalled' && !started && condition.status !== 'True') continue;
    if (condition.type === 'Stalled' && old === undefined && !bad) continue;
    // Free room and whole files are news only after there were none.
    if (newsAfterBad.has(condition.type) && !bad && old?.status !== 'False') continue;
    // `mendingOf` reports it.
    if (condition.type === 'DataIntact' && condition.reason === 'Mended') continue;
    // The end of growing by itself is news; that it never began is not.
    if (condition.type === 'Autogrow' && condition.status !== 'True' && old?.status !== 'True') {
      continue;
    }
    const suspended = after.spec.suspend;
    turns.push({
      type: bad && (!suspended || condition.type === 'Stalled') ? 'Warning' : 'Normal',
      reason:
        condition.status === 'True' && condition.type !== 'Stalled'
          ? condition.type
          : condition.reason,
      note: cutText(`${condition.type} is ${condition.status}: ${condition.message}`, 1_000),
    });
  }
  return [...turns, ...growthOf(before, after), ...mendingOf(before, after)];
}

function growthOf(before: DatabaseObject, after: DatabaseObject): readonly Turn[] {
  const { sizeGb, fromGb, usedPercent, at } = after.status?.autogrow ?? {};
  if (sizeGb === undefined || at === undefined || before.status?.autogrow?.at === at) return [];
  const note = `storage grows from ${fromGb} to ${sizeGb} GiB: ${usedPercent} % are used`;
  return [{ type: 'Normal', reason: VolumeEvent.grows, note }];
}

/** Reports each mending, also if the damage was gone before the operator saw it. */
function mendingOf(before: DatabaseObject, after: DatabaseObject): readonly Turn[] {
  const toldIn = ({ status }: DatabaseObject) =>
    status?.conditions?.find(({ type }) => type === 'DataIntact');
  const is = toldIn(after);
  if (is?.reason !== 'Mended' || is.message === toldIn(before)?.message) return [];
  return [{ type: 'Normal', reason: DataEvent.mended, note: is.message }];
}
