/** The job that applies a change. Its steps depend on the difference. */
import type { NewJob } from '../model/job.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import { memberOf } from './impact.ts';

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

const minute = 60_000;

export const changeJob = (change: ConfigurationChange): NewJob => ({
  organizationId: change.organizationId,
  databaseId: change.databaseId,
  type: 'database.change',
  input: { changeId: change.id },
  steps: stepsOf(change),
  timeoutMs: 60 * minute,
  maxAttempts: 5,
  cancellable: false,
  message: 'The change is queued.',
});

function stepsOf({ diff, impact }: ConfigurationChange): readonly ChangeStep[] {
  const to = (member: string) => diff.find(({ path }) => memberOf(path) === member)?.to;
  const has: Readonly<Partial<Record<ChangeStep, boolean>>> = {
    grow_storage: to('selectedStorageGb') !== undefined,
    stop_replicas: to('suspended') === true,
    start_replicas: to('suspended') === false,
    replace_replicas: impact.rollingRestart,
  };
  return changeSteps.filter((step) => has[step] ?? !(step in has));
}
