import { expect, test } from '@jest/globals';
import { answerHealth } from './health-server.ts';

const well = { live: () => [], ready: () => [], metrics: () => Promise.resolve('up 1\n') };

test('errors are reported at their field, and only there', async () => {
  expect(await answerHealth('GET', '/livez', well)).toMatchObject({ status: 200, body: 'ok\n' });
  const unready = { ...well, ready: () => ['pods: not listed yet', 'jobs: not listed yet'] };
  expect((await answerHealth('GET', '/livez', unready)).status).toBe(200);
  expect(await answerHealth('GET', '/readyz', unready)).toMatchObject({
    status: 503,
    body: 'pods: not listed yet\njobs: not listed yet\n',
  });
});

test('metrics name their format; nothing else is there, nothing is written', async () => {
  expect(await answerHealth('GET', '/metrics', well)).toEqual({
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: 'up 1\n',
  });
  expect((await answerHealth('GET', '/', well)).status).toBe(404);
  expect((await answerHealth('POST', '/livez', well)).status).toBe(405);
});
