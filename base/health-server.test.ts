import { expect, test } from '@jest/globals';
import { answerHealth } from './health-server.ts';

const well = { live: () => [], ready: () => [], metrics: () => 'up 1\n' };

test('what is wrong is named, and only where it belongs', () => {
  expect(answerHealth('GET', '/livez', well)).toMatchObject({ status: 200, body: 'ok\n' });
  const unready = { ...well, ready: () => ['pods: not listed yet', 'jobs: not listed yet'] };
  expect(answerHealth('GET', '/livez', unready).status).toBe(200);
  expect(answerHealth('GET', '/readyz', unready)).toMatchObject({
    status: 503,
    body: 'pods: not listed yet\njobs: not listed yet\n',
  });
});

test('metrics name their format; nothing else is there, nothing is written', () => {
  expect(answerHealth('GET', '/metrics', well)).toEqual({
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: 'up 1\n',
  });
  expect(answerHealth('GET', '/', well).status).toBe(404);
  expect(answerHealth('POST', '/livez', well).status).toBe(405);
});
