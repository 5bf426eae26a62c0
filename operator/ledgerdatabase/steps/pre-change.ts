/**
 * A backup before a database's engine is upgraded. The upgrade waits for it, but never for ever, and no repair waits: the
 * backup is a way back from a harmful release, not a condition of running.
 */
import { digestOf } from '../../../base/digest.ts';
import { preChangeBackupName } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import { stateOf } from '../../ledgerbackup/states.ts';
import { buildBackup } from '../../manifests/backup.ts';
import type { Draft, Facts, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { isReady, replicaPods } from '../replica-pods.ts';

type PreChange = NonNullable<Facts['preChange']>;

/** After this time an upgrade goes on without its backup. */
const WAIT_MAX_MS = 30 * 60_000;
const LOOK_AGAIN_MS = 10_000;

export function backUpBeforeUpgrade(observed: Observation, draft: Draft): StepResult {
  const { subject, activeVersion } = draft;
  const version = subject?.resolved.engine.version;
  const known = draft.facts.preChange;
  if (known !== undefined && known.version !== version && activeVersion === version) {
    // That upgrade was withdrawn: if it is requested again, it gets a backup of its own.
    const { preChange: _, ...facts } = draft.facts;
    draft.facts = facts;
    return 'halt';
  }
  const isUpgrade =
    subject?.store !== undefined &&
    subject.resolved.engine.name === 'Builtin' &&
    activeVersion !== undefined &&
    activeVersion !== version &&
    !subject.suspend;
  if (!isUpgrade || version === undefined) return 'continue';
  if (known?.version === version && known.result !== undefined) return 'continue';
  const trouble = whyNotNow(observed, subject.resolved.topology.replicas);
  const startedAt = known?.version === version ? known.startedAt : timeOf(observed.nowMs);
  const backup = preChangeBackupName(subject.workload, digestOf([version, startedAt]).slice(0, 8));
  const note = (more: Partial<PreChange>) => {
    draft.facts = { ...draft.facts, preChange: { version, startedAt, backup, ...more } };
  };
  if (known?.version !== version) {
    note(trouble === undefined ? {} : { result: 'Failed', message: trouble });
    return 'halt';
  }
  const found = observed.backups?.backups.find(({ metadata }) => metadata.name === backup);
  const row = found?.status?.conditions?.find(({ type }) => type === 'Succeeded');
  const state = found === undefined ? undefined : stateOf(found);
  if (state === 'succeeded') note({ result: 'Completed' });
  else if (state === 'failed')
    note({ result: 'Failed', message: `${row?.reason}: ${row?.message}` });
  else if (observed.nowMs - Date.parse(startedAt) >= WAIT_MAX_MS)
    note({ result: 'TimedOut', message: row?.message ?? 'the backup was not begun' });
  else if (trouble !== undefined) note({ result: 'Failed', message: trouble });
  else {
    draft.wait(
      `LedgerBackup ${backup} is made before the upgrade to ${version}, which goes on without it at ${timeOf(Date.parse(startedAt) + WAIT_MAX_MS)}`,
    );
    draft.again(LOOK_AGAIN_MS);
    if (found === undefined) {
      draft.do({
        verb: 'create',
        purpose: 'backup',
        guarded: false,
        resource: resources.backup,
        object: buildBackup(subject, backup, 'PreChange'),
      });
    }
  }
  return 'halt';
}

/** The reason not to wait for a backup: unhealthy replicas need the newest pods, or must not be disturbed. */
function whyNotNow({ owned }: Observation, replicas: number): string | undefined {
  const ready = replicaPods(owned.pods).filter(isReady).length;
  return ready < replicas ? `only ${ready} of ${replicas} replicas were ready` : undefined;
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
