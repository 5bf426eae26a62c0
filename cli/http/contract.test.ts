import { expect, test } from '@jest/globals';
import { ExitCode } from '../exit-code.ts';
import { contractRequest } from './contract.ts';

test('an ID of dots, which would make another path, is an invalid value and no bug', () => {
  const path = '/api/v1/databases/{databaseId}/backups/{backupId}/restore';
  const params = { databaseId: 'db_1', backupId: '..' };
  expect(() => contractRequest('post', path, { params })).toThrow(
    expect.objectContaining({
      message: '".." is not an ID',
      fields: expect.objectContaining({ exitCode: ExitCode.Validation }),
    }),
  );
});
