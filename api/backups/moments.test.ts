import { expect, test } from '@jest/globals';
import { planRestore, written, type Moment, type RecoveryWindow } from '../../domain/recovery.ts';
import type { Database } from '../store/database-record.ts';
import { momentUnavailable } from './moments.ts';

const moment = (op: number): Moment => ({ op, timestamp: BigInt(op) * 10n });
const archiving = { rpoSeconds: 5, state: 'Starting', healthy: null };

const refused = (observed: object, window?: RecoveryWindow): string => {
  const target = { kind: 'op', op: 4 } as const;
  const plan = planRestore([], [moment(5)], target);
  if (plan.isPossible) throw new Error('it is possible');
  const database = { name: 'payments', observed } as Database;
  return momentUnavailable({ database, window }, target, plan).occasion.detail;
};

test('a moment is not said to be lost before the archiver of a new resource has told what the archive has', () => {
  const nearest = 'the next one is operation 5';
  expect(refused({ archiving })).toContain(nearest);
  expect(refused({ archiving })).toContain('is not known yet: ask again in a minute');
  const window = { earliest: written(moment(5)), latest: written(moment(9)), gaps: [] };
  for (const text of [refused({ archiving }, window), refused({ archiving: null }), refused({})]) {
    expect(text).toContain(nearest);
    expect(text).not.toContain('known yet');
  }
});
