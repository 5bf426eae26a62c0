import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { Pod } from '../../../domain/kinds.ts';
import { annotations, claimName, formatJobName, labels } from '../../../domain/names.ts';
import { targetOf } from '../actions.ts';
import type { Observation } from '../observation.ts';

const workload = 'payments-5e1f0c';
const making = { pod: 'absent', formatted: false, recorded: false, format: 'running' } as const;

/** What is done to volumes once the containers of this Job's pod have ended so. */
function patched(
  exitCodes: Readonly<Record<string, number | undefined>>,
  ownerOf: (job: string) => string,
): readonly string[] {
  const withPod = ({ owned }: Observation): Partial<Observation> => {
    const job = owned.jobs.find(({ metadata }) => metadata.name === formatJobName(workload, 0));
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${job?.metadata.name}-x7k2p`,
        labels: { 'batch.kubernetes.io/job-name': job?.metadata.name ?? '', [labels.role]: 'job' },
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            name: job?.metadata.name ?? '',
            uid: ownerOf(job?.metadata.uid ?? ''),
          },
        ],
      },
      spec: { containers: Object.keys(exitCodes).map((name) => ({ name })) },
      status: {
        phase: 'Running',
        containerStatuses: Object.entries(exitCodes).map(([name, exitCode]) => ({
          name,
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: exitCode === undefined ? { running: {} } : { terminated: { exitCode } },
        })),
      },
    };
    return { owned: { ...owned, pods: [...owned.pods, pod] } };
  };
  const { draft } = planOf(
    { kind: { engine: 'Builtin', topology: 'single' }, known: 'nothing', set: 'absent' },
    { 0: making },
    withPod,
  );
  return draft.actions
    .filter((one) => JSON.stringify(one).includes(annotations.formatted))
    .map((action) => `${action.verb} ${targetOf(action).name}`);
}

test('a file is noted as made once the work in its Job’s pod has ended well, before the Job says so and whatever a proxy does; the pod of another Job proves nothing', () => {
  const own = (uid: string) => uid;
  for (const proxy of [undefined, 0, 143])
    expect(patched({ proxy, install: 0 }, own)).toEqual([`patch ${claimName(workload, 0)}`]);
  for (const install of [undefined, 1]) expect(patched({ proxy: 0, install }, own)).toEqual([]);
  expect(patched({ install: 0 }, (uid) => `${uid}-of-an-earlier-one`)).toEqual([]);
});
