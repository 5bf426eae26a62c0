import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  claimName,
  connectionName,
  connectLabel,
  databaseIdOf,
  dataFilePath,
  formatJobName,
  labels,
  podName,
  recoverJobName,
  serviceName,
  uidOf,
  workloadNameOf,
} from './names.ts';
import { apiVersion, type LedgerDatabase } from './custom-resources.ts';
import { isTypeId } from './type-id.ts';

const databaseOf = (name: string, uid?: string, databaseId?: string): LedgerDatabase => ({
  apiVersion,
  kind: 'LedgerDatabase',
  metadata: {
    name,
    namespace: 'org-acme',
    ...(uid === undefined ? {} : { uid }),
    ...(databaseId === undefined ? {} : { labels: { [labels.databaseId]: databaseId } }),
  },
  spec: { suspend: false, deletionProtection: true, deletionPolicy: 'Retain' },
});

/** Names that the API server accepts for a database: see the first rule of crds/ledgerdatabases.yaml. */
const names = fc.stringMatching(/^[a-z][-a-z0-9]{1,38}[a-z0-9]$/);
const indexes = fc.integer({ min: 0, max: 5 });
const dnsLabel = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

test('for any name of a database, the names and labels of its objects are valid in Kubernetes', () => {
  fc.assert(
    fc.property(names, fc.uuid(), indexes, (name, uid, index) => {
      const database = databaseOf(name, uid);
      const workload = workloadNameOf(database);
      const made = [workload, podName(workload, index), serviceName(workload, index)];
      for (const one of [...made, claimName(workload, index), connectionName(database)]) {
        expect(one).toMatch(dnsLabel);
      }
      // A Job's pods are named after it with six more characters, the StatefulSet's revisions with eleven.
      expect(`${formatJobName(workload, index)}-abcde`).toMatch(dnsLabel);
      expect(`${recoverJobName(workload, index)}-abcde`).toMatch(dnsLabel);
      expect(`${workload}-0123456789`).toMatch(dnsLabel);
      const [, key = ''] = connectLabel(name).split('/');
      expect(key).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }),
  );
});

test('a database made anew under an old name has a workload of its own', () => {
  const before = databaseOf('payments', '01890a5d-ac96-774b-bcce-b302099a8057');
  const after = databaseOf('payments', 'f2b7c1aa-ac96-774b-bcce-b302099a8057');
  expect(workloadNameOf(before)).toBe('payments-01890a');
  expect(workloadNameOf(after)).toBe('payments-f2b7c1');
});

test('no two things of one database share a name', () => {
  const workload = 'payments-01890a';
  const made = [0, 1, 2, 3, 4, 5].flatMap((index) => [
    podName(workload, index),
    claimName(workload, index),
    formatJobName(workload, index),
    recoverJobName(workload, index),
  ]);
  expect(new Set(made).size).toBe(made.length);
});

test("a claim has the name that the StatefulSet's controller gives it", () => {
  expect(claimName('payments-01890a', 2)).toBe('data-payments-01890a-2');
});

test('the public ID is the one that the API put on the resource, otherwise it is made from the uid', () => {
  const uid = '01890a5d-ac96-774b-bcce-b302099a8057';
  expect(databaseIdOf(databaseOf('payments', uid))).toBe('db_01h455vb4pex5vsknk084sn02q');
  const given = 'db_0123456789abcdefghjkmnpqrs';
  expect(databaseIdOf(databaseOf('payments', uid, given))).toBe(given);
  expect(isTypeId('db', given)).toBe(true);
});

test('an object that was not read from the API server has no names', () => {
  expect(() => uidOf(databaseOf('payments'))).toThrow('payments has no uid');
});

test('data files are called by cluster and index', () => {
  expect(dataFilePath('Builtin', '17', 0)).toBe('/data/17_0.ledger');
  expect(dataFilePath('TigerBeetle', '17', 5)).toBe('/data/17_5.tigerbeetle');
});
