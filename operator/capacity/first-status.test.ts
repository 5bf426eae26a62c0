import { expect, test } from '@jest/globals';
import pino from 'pino';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import { disorder, name, namespace, uid } from '../../test/support/operator/disordered-database.ts';
import { recipeOf } from '../../test/support/operator/plan-of.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { reconcileDatabase } from '../ledgerdatabase/reconcile.ts';
import { CapacityWatch } from './capacity-watch.ts';

const logger = pino({ level: 'silent' });

test.each([
  { engine: 'Builtin', topology: 'single', release: '0.1.0' },
  { engine: 'TigerBeetle', topology: 'ha-3', release: '0.17.8' },
] as const)(
  'the first status of a new database of $engine that is ready says what it has left, and it is not asked again for that',
  async ({ engine, topology, release }) => {
    const knows = { bootstrapped: true, identity: true, endpoints: true, resolved: true };
    // No volume says yet that an engine has run on it.
    const replicas = Object.fromEntries([0, 1, 2].map((index) => [index, { recorded: false }]));
    const cluster = disorder(
      recipeOf(
        {
          kind: { engine, topology },
          known: 'some',
          knows: { ...knows, storage: true, active: false },
        },
        replicas,
      ),
    );
    let asked = 0;
    const fetchStatus = () => {
      asked += 1;
      return Promise.resolve(engineSays(engine, release));
    };
    const watch = new CapacityWatch({
      databases: () => [],
      podsOf: () => [],
      fetchStatus,
      onChange: () => {},
      nowMs: () => cluster.nowMs,
      logger,
      timers: new VirtualTimers(),
    });
    const firsts: unknown[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const environment = environmentIn(cluster, {
        fetchStatus,
        capacityOf: (id) => watch.of(id),
        heard: (...answers) => watch.heard(...answers),
      });
      await reconcileDatabase(environment, { namespace, name }, logger);
      cluster.move();
      const database = cluster
        .all('LedgerDatabase')
        .find(({ metadata }) => metadata.uid === uid) as DatabaseObject;
      const said = (type: string) => database.status?.conditions?.find((one) => one.type === type);
      if (said('Ready')?.status === 'True') firsts.push([said('CapacityLeft')?.reason, asked]);
    }
    expect(firsts[0]).toEqual(['Enough', expect.any(Number)]);
    expect(new Set(firsts.map((first) => String(first))).size).toBe(1);
  },
);
