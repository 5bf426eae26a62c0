/** The job that applies a change. Its steps depend on the difference. */
import type { NewJob } from '../model/job.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import { goesBack, goesInPlace, isReplacement, memberOf } from './impact.ts';

const changeSteps = [
  'write_spec',
  'accept',
  'grow_storage',
  'stop_replicas',
  'replace_replicas',
  'start_replicas',
  'settle',
] as const;
export type ChangeStep = (typeof changeSteps)[number];

const shapeSteps = [
  'back_up',
  'last_backup',
  'create_resource',
  'prepare_volumes',
  'start_replicas',
] as const;
/** Where the volume goes on with the new replicas. */
const inPlaceSteps = [
  'back_up',
  'stop_replica',
  'create_resource',
  'prepare_volumes',
  'start_replicas',
] as const;
export type ShapeStep = (typeof shapeSteps | typeof inPlaceSteps)[number];

const minute = 60_000;
/** A change of shape must not end half-way: it goes on for as long as anything can still come of it. */
const shapeTimeoutMs = 7 * 24 * 60 * minute;

export const changeJob = (change: ConfigurationChange): NewJob => ({
  organizationId: change.organizationId,
  databaseId: change.databaseId,
  type: 'database.change',
  input: { changeId: change.id },
  steps: stepsOf(change),
  timeoutMs: isReplacement(change.diff) ? shapeTimeoutMs : 60 * minute,
  maxAttempts: 5,
  // Until the replicas stop: making a backup and testing it may take hours.
  cancellable: goesBack(change.diff),
  message: 'The change is queued.',
});

function stepsOf({ diff, impact }: ConfigurationChange): readonly (ChangeStep | ShapeStep)[] {
  if (isReplacement(diff)) return goesInPlace(impact) ? inPlaceSteps : shapeSteps;
  const to = (member: string) => diff.find(({ path }) => memberOf(path) === member)?.to;
  const has: Readonly<Partial<Record<ChangeStep, boolean>>> = {
    grow_storage: to('selectedStorageGb') !== undefined,
    stop_replicas: to('suspended') === true,
    start_replicas: to('suspended') === false,
    replace_replicas: impact.rollingRestart,
  };
  return changeSteps.filter((step) => has[step] ?? !(step in has));
}
