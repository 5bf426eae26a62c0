import { expect, test } from '@jest/globals';
import pino from 'pino';
import { disorder, name, namespace } from '../../test/support/operator/disordered-database.ts';
import { recipeOf } from '../../test/support/operator/plan-of.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import { annotations } from '../../domain/names.ts';
import type { Kube, KubeObject } from '../../base/kube/kube.ts';
import type { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { reconcileDatabase } from './reconcile.ts';

const logger = pino({ level: 'silent' });

/** The names of what is made, applied and patched while a database that is made for the first time is reconciled once. */
async function written(cluster: SimulatedCluster) {
  const names: string[] = [];
  const kube: Kube = {
    serverTimeMs: () => cluster.serverTimeMs(),
    read: (reference) => cluster.read(reference),
    list: (resource, options) => cluster.list(resource, options),
    create(resource, object) {
      names.push(object.metadata.name ?? '');
      return cluster.create(resource, object);
    },
    apply(resource, object, options) {
      names.push(object.metadata.name ?? '');
      return cluster.apply(resource, object, options);
    },
    mergePatch(reference, patch) {
      names.push(reference.name);
      return cluster.mergePatch(reference, patch);
    },
    delete: (reference, options) => cluster.delete(reference, options),
  };
  const fetchStatus = () => Promise.reject(new Error('nothing runs'));
  const environment = environmentIn(cluster, { kube, fetchStatus });
  const outcome = await reconcileDatabase(environment, { namespace, name }, logger);
  return { names, outcome };
}

const formatted = () =>
  disorder(
    recipeOf(
      {
        kind: { engine: 'Builtin', topology: 'single' },
        knows: {
          identity: true,
          bootstrapped: false,
          endpoints: true,
          resolved: true,
          storage: true,
          active: false,
        },
        known: 'some',
        set: 'absent',
      },
      { 0: { formatted: false, recorded: false, format: 'succeeded', pod: 'absent' } },
    ),
  );
const claim = 'data-payments-5e1f0c-0';

test('one run goes from a data file that was made to the StatefulSet', async () => {
  const { names } = await written(formatted());
  expect(names).toEqual([name, claim, name, 'payments-5e1f0c']);
});

test('a note that admission takes away again is not written over and over', async () => {
  const cluster = formatted();
  cluster.admission = <T extends KubeObject>(object: T): T => {
    const { [annotations.formatted]: _, ...others } = object.metadata.annotations ?? {};
    return { ...object, metadata: { ...object.metadata, annotations: others } };
  };
  const { names, outcome } = await written(cluster);
  expect(names).toEqual([name, claim, claim]);
  expect(outcome.requeueAfterMs ?? Infinity).toBeGreaterThan(10_000);
});
