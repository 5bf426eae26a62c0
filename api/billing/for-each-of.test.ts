import { expect, test } from '@jest/globals';
import { forEachOf } from './for-each-of.ts';

test('work for one organization that fails stops none of the others, and is told at the end', async () => {
  const done: string[] = [];
  const work = (name: string) => () => {
    if (name === 'broken') return Promise.reject(new Error('broken'));
    done.push(name);
    return Promise.resolve();
  };
  const all = forEachOf(['first', 'broken', 'last'].map(work));
  await expect(all).rejects.toMatchObject({
    message: '1 of 3 failed',
    errors: [expect.any(Error)],
  });
  expect(done).toEqual(['first', 'last']);
});
