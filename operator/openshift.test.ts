import { expect, test } from '@jest/globals';
import type { Transport } from '../base/kube/transport.ts';
import { isOpenShift } from './openshift.ts';

const answering = (status: number): Transport => ({
  send: ({ path }) =>
    Promise.resolve({
      status: path === '/apis/security.openshift.io' ? status : 500,
      headers: new Headers(),
      body: null,
      text: () => Promise.resolve('{}'),
    }),
  close: () => Promise.resolve(),
});

test('OpenShift is recognized by its API group', async () => {
  expect(await isOpenShift(answering(200))).toBe(true);
  expect(await isOpenShift(answering(404))).toBe(false);
});

test('without a clear answer the operator does not start, and says what to set', async () => {
  await expect(isOpenShift(answering(403))).rejects.toThrow('LEDGERHOUSE_OPERATOR_OPENSHIFT');
});
