import { expect, test } from '@jest/globals';
import pino from 'pino';
import { resources } from '../domain/kinds.ts';
import type { KubeObject } from '../base/kube/kube.ts';
import type { KubeSource, Page } from '../base/kube/kube-source.ts';
import { disorder } from '../test/support/operator/disordered-database.ts';
import { recipeOf } from '../test/support/operator/plan-of.ts';
import { Operator, reconciledKinds, watchedResources } from './operator.ts';
import { createOperatorMetrics } from './runtime/operator-metrics.ts';

const logger = pino({ level: 'silent' });

/** An operator in a cluster with one database, whose conditions are known. */
function operatorBeside() {
  const cluster = disorder(recipeOf({}));
  const [database] = cluster.all('LedgerDatabase');
  if (database === undefined) throw new Error('there is no database');
  const row = { type: 'Ready', status: 'True', reason: 'AllHealthy', message: '' };
  const told = { ...database, status: { conditions: [row] } };
  const source: KubeSource = {
    listPage: <T extends KubeObject>(resource: { readonly plural: string }) =>
      Promise.resolve({
        items: resource.plural === resources.database.plural ? [told] : [],
        resourceVersion: '1',
        continueToken: undefined,
      } as unknown as Page<T>),
    async *watch(_, { signal }) {
      yield [];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const metrics = createOperatorMetrics({ kinds: reconciledKinds, watched: watchedResources });
  const operator = new Operator({
    source,
    kube: cluster,
    kubeFor: () => cluster,
    plan: { operatorNamespace: 'ledgerhouse-system' },
    instance: 'test',
    concurrency: 1,
    logger,
    metrics,
    onLostLeadership: () => {},
    fetchStatus: () => Promise.reject(new Error('nobody answers')),
  });
  const rows = async () => {
    operator.measure();
    const lines = (await metrics.registry.text()).split('\n');
    return lines.filter((line) => /^ledgerhouse_database_\w+\{/.test(line)).length;
  };
  return { operator, rows };
}

test('databases are measured by the operator that leads, and by no other: one that stands by may be behind', async () => {
  const { operator, rows } = operatorBeside();
  operator.start();
  await operator.whenSynced();
  expect(await rows()).toBe(0);
  await operator.lead();
  expect(await rows()).toBeGreaterThan(0);
  await operator.stop(1_000);
  expect(await rows()).toBe(0);
});
