/** Lives of one volume, while databases and pods that use it come and go at any time. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { annotations, labels, managedBy } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { Claim, Pod } from '../../domain/kinds.ts';
import { decide, type Surroundings } from './decide.ts';

const dayMs = 24 * 3_600_000;
const retentionDays = 7;

const event = fc.oneof(
  fc.record({ kind: fc.constantFrom('owner', 'awaiter', 'pod'), there: fc.boolean() }),
  fc.record({ kind: fc.constant('time' as const), days: fc.constantFrom(0.1, 1, 3, 6.9, 7.1, 30) }),
);

const uid = '11111111-0000-4000-8000-000000000001';
const databaseOf = (of: string, from?: string): LedgerDatabase => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: { name: 'payments', uid: of, labels: { [labels.databaseId]: `db_of_${of}` } },
  spec: {
    suspend: false,
    deletionProtection: true,
    deletionPolicy: 'Retain',
    ...(from === undefined ? {} : { bootstrap: { volumes: { databaseId: from } } }),
  },
});
const user: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    containers: [],
    volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data-p-0' } }],
  },
};
const claimWith = (purgeAt: string | undefined): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data-p-0',
    labels: {
      [labels.managedBy]: managedBy,
      [labels.uid]: uid,
      [labels.databaseId]: 'db_1',
      [labels.workload]: 'p',
    },
    ...(purgeAt === undefined ? {} : { annotations: { [annotations.purgeAt]: purgeAt } }),
  },
});

test('a volume is purged only when the whole retention has passed since anything last needed it', () => {
  let purges = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const there = { owner: true, awaiter: false, pod: true };
      let nowMs = Date.parse('2026-11-21T10:00:00Z');
      let neededAtMs = nowMs;
      let purgeAt: string | undefined;
      for (const one of events) {
        if (one.kind === 'time') nowMs += one.days * dayMs;
        else there[one.kind] = one.there;
        const needed = there.owner || there.awaiter || there.pod;
        if (needed) neededAtMs = nowMs;
        const near: Surroundings = {
          databases: [
            ...(there.owner ? [databaseOf(uid)] : []),
            ...(there.awaiter ? [databaseOf('22222222-0000-4000-8000-000000000002', 'db_1')] : []),
          ],
          pods: there.pod ? [user] : [],
          statefulSets: [],
        };
        const decision = decide(claimWith(purgeAt), near, retentionDays, nowMs);
        if (decision.kind === 'mark') purgeAt = decision.purgeAt;
        if (decision.kind === 'unmark') purgeAt = undefined;
        if (decision.kind !== 'purge') continue;
        purges += 1;
        expect(needed).toBe(false);
        // The mark is rounded to whole seconds.
        expect(nowMs - neededAtMs).toBeGreaterThanOrEqual(retentionDays * dayMs - 1_000);
        return;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(purges).toBeGreaterThan(20);
});
