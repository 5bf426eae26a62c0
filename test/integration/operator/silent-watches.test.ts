/** An operator whose watches open and bring nothing: something between it and a real API server swallows the events. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFaultyApi, type FaultyApi } from '../../support/cluster/faulty-api.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';
import { eventually } from '../../support/shell.ts';

let world: OperatorWorld;
let api: FaultyApi;
let deaf: TestOperator;
let hearing: TestOperator;
const watchSilenceMaxMs = 4_000;
const namespace = 'swallowed';

beforeAll(async () => {
  world = await startOperatorWorld();
  api = await startFaultyApi(world.plane.kubeconfig);
  await world.createNamespace(namespace);
  deaf = await startTestOperator({ kubeConfig: api.kubeConfig, namespace, watchSilenceMaxMs });
  // It sees the same, and has nothing to do: each of its writes would be one that is made already.
  hearing = await startTestOperator({
    kubeConfig: world.kubeConfig,
    namespace: 'elsewhere',
    watchSilenceMaxMs,
  });
});
afterAll(async () => {
  await deaf?.stop();
  await hearing?.stop();
  await api?.stop();
  await world?.stop();
});

const swallow = () => {
  api.inject(({ isWatch }) => (isWatch ? { kind: 'freeze', afterBytes: 0 } : undefined));
  api.freezeWatches();
};
const look = () =>
  world.patchDatabase(namespace, 'payments', {
    metadata: { annotations: { looked: String(Date.now()) } },
  });

test('an operator whose watches bring nothing is told to restart, and meanwhile sees by lists', async () => {
  await world.createDatabase(namespace, 'before', {});
  await world.until(namespace, 'before', 'Ready', 'True');
  expect(deaf.operator.stuck()).toEqual([]);
  swallow();
  await world.createDatabase(namespace, 'payments', {});
  await eventually('it has seen the database', async () =>
    (await world.database(namespace, 'payments'))?.status?.workload === undefined
      ? undefined
      : true,
  );
  const words = await eventually('it is told to restart', async () => {
    await look();
    const [why] = deaf.operator.stuck();
    return why;
  });
  expect(words).toMatch(/^the watch of \w+ brings nothing, though lists show changes$/);
  expect(hearing.operator.stuck()).toEqual([]);
});

test('once its watches bring something again, it goes on', async () => {
  api.inject(() => undefined);
  api.cutWatches();
  await world.until(namespace, 'payments', 'Ready', 'True');
  // Its objects change each kind that the first database changed: only an event shows that the watch of a kind works again. A change that
  // comes between two watches is found by a list, so there are more of them if need be.
  let made = 0;
  await eventually('all watches work', async () => {
    const name = `after-${(made += 1)}`;
    await world.createDatabase(namespace, name, {});
    await world.until(namespace, name, 'Ready', 'True');
    const stuck = deaf.operator.stuck();
    if (stuck.length > 0) throw new Error(stuck.join('; '));
    return true;
  });
});
