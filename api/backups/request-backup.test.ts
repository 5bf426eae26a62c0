import { expect, test } from '@jest/globals';
import { whyNoBackup, whyNoFiles } from './request-backup.ts';

const database = (status: 'READY' | 'SUSPENDED' | 'PROVISIONING') => ({ name: 'payments', status });
const builtin = (clusterConfiguration: string) => ({ engine: 'Builtin', clusterConfiguration });

test('a suspended database is backed up only if its one file has everything', () => {
  expect(whyNoBackup(database('SUSPENDED'), builtin('single'))).toBeUndefined();
  const refused = whyNoBackup(database('SUSPENDED'), builtin('ha-3'));
  expect(refused?.code).toBe('database_not_ready');
  expect(refused?.occasion.detail).toContain('resume the database first');
  expect(whyNoBackup(database('READY'), builtin('ha-3'))).toBeUndefined();
});

test('a database without data is not backed up, and TigerBeetle only while it runs', () => {
  expect(whyNoBackup(database('PROVISIONING'), builtin('single'))?.code).toBe('database_not_ready');
  const other = { engine: 'TigerBeetle', clusterConfiguration: 'single' };
  expect(whyNoBackup(database('READY'), other)).toBeUndefined();
  expect(whyNoBackup(database('SUSPENDED'), other)?.code).toBe('database_not_ready');
});

test('data files are backed up of a suspended database of TigerBeetle alone', () => {
  const beetle = { engine: 'TigerBeetle' };
  expect(whyNoFiles(database('SUSPENDED'), beetle)).toBeUndefined();
  const running = whyNoFiles(database('READY'), beetle);
  expect(running).toMatchObject({ code: 'database_not_ready' });
  expect(running?.occasion.detail).toContain('suspend the database first');
  const other = whyNoFiles(database('SUSPENDED'), { engine: 'Builtin' });
  expect(other?.occasion.detail).toContain('leave method out');
});
