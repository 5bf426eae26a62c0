import { expect, test } from '@jest/globals';
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import { extendedBy, written } from '../../domain/recovery.ts';
import type { Database } from '../store/database-record.ts';
import { ArchiveEnds } from './archive-ends.ts';

const archive: ArchiveStatus = {
  state: 'Archiving',
  archivedOp: 90,
  archivedTimestamp: '9000',
  chainFirstOp: 1,
  gaps: 0,
  spoolBytes: 0,
  leads: false,
  lagSeconds: 0,
};
const status = (replicaIndex: number, says: object) => ({
  engine: 'Builtin',
  version: '0.1.0',
  release: '0.17.9',
  clusterId: '1',
  replicaIndex,
  replicaCount: 3,
  role: 'primary',
  view: 0,
  op: 1,
  commit: 1,
  checkpoint: 0,
  syncing: false,
  warnings: [],
  storage: { usedBytes: 1, limitBytes: 2 },
  archive: says,
});
const database = {
  id: 'db_1',
  status: 'READY',
  observed: {
    addresses: ['10.0.0.1:3000', '10.0.0.2:3000', '10.0.0.3:3000'],
    archiving: { rpoSeconds: 5, state: 'Archiving', healthy: true },
  },
} as unknown as Database;

test('the engine whose log is archived is asked, once for many readers; silent and lying ones are passed over', async () => {
  const asked: string[] = [];
  const ends = new ArchiveEnds({
    statusUrl: ({ host }) => host,
    fetchStatus: (host) => {
      asked.push(host);
      if (host === '10.0.0.1') return Promise.reject(new Error('no route'));
      if (host === '10.0.0.2') return Promise.resolve(status(1, { ...archive, archivedOp: -1 }));
      return Promise.resolve(status(2, { ...archive, leads: true }));
    },
  });
  const [one, other] = await Promise.all([ends.of(database), ends.of(database)]);
  expect(one).toEqual({ ...archive, leads: true });
  expect(other).toEqual(one);
  expect(asked).toHaveLength(3);
  expect(await ends.of({ ...database, id: 'db_2', status: 'SUSPENDED' })).toBeUndefined();
  const { archiving: _, ...without } = database.observed!;
  expect(await ends.of({ ...database, id: 'db_3', observed: without })).toBeUndefined();
});

test('a window ends where the archive is by now, and never behind a gap that it does not name', () => {
  const at = (op: number) => written({ op, timestamp: BigInt(op * 100) });
  const window = { earliest: at(0), latest: at(50), gaps: [] };
  expect(extendedBy(window, archive)?.latest).toEqual(at(90));
  expect(extendedBy(window, { ...archive, chainFirstOp: 60 })).toEqual(window);
  expect(extendedBy(window, { ...archive, archivedOp: 40 })).toEqual(window);
  expect(extendedBy(window, undefined)).toEqual(window);
  expect(extendedBy(undefined, archive)).toMatchObject({ earliest: { op: 0 }, latest: at(90) });
  expect(extendedBy(undefined, { ...archive, chainFirstOp: 60 })).toBeUndefined();
});
