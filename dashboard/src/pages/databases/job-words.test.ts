import { expect, test } from '@jest/globals';
import { jobTypes } from '../../../../api/model/job.ts';
import { jobWords } from './job-words.ts';

test('jobs are named with the words of the glossary, and none with the word of the contract', () => {
  expect(jobTypes.map(jobWords)).toEqual([
    'Create',
    'Delete',
    'Restore',
    'Change',
    'Backup',
    'Removal of a backup',
    'Test restore',
  ]);
  expect(jobWords('start_replicas')).toBe('Start replicas');
});
