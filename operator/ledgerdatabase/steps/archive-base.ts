/** A backup for a log that follows a gap, or that began when the database was no longer new: without one it cannot be restored. */
import { resources } from '../../../domain/kinds.ts';
import { archiveBaseName } from '../../../domain/names.ts';
import { buildBackup } from '../../manifests/backup.ts';
import { opWithoutBackup } from '../archiving.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';

export function backUpForArchive(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject?.archiving === undefined || subject.suspend || observed.backups === undefined)
    return 'continue';
  const firstOp = opWithoutBackup(observed);
  if (firstOp === undefined) return 'continue';
  const name = archiveBaseName(subject.workload, firstOp);
  // A failed one stays to be looked at; deleting it has another one made.
  if (observed.backups.backups.some(({ metadata }) => metadata.name === name)) return 'continue';
  draft.do({
    verb: 'create',
    purpose: 'backup',
    guarded: false,
    resource: resources.backup,
    object: buildBackup(subject, name, 'Manual'),
  });
  return 'continue';
}
