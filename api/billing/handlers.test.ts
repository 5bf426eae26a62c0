import { expect, test } from '@jest/globals';
import type { Store } from '../store/store.ts';
import { IdempotentRequests } from '../http/idempotent.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Cursors } from '../store/cursor.ts';
import { billingHandlers } from './handlers.ts';

/** These tests never use the store. */
const store = {} as Store;
const handlers = billingHandlers({
  store,
  requests: new IdempotentRequests(store, {} as Sealer),
  cursors: {} as Cursors,
  billing: undefined,
  now: () => new Date(0),
});
type Asked = Parameters<typeof handlers.openCheckout>[0];
const asked = {
  principal: { organization: { id: 'org_1', name: 'Acme' } },
} as unknown as Asked;

test('a service that bills nobody says so, and everybody is ready', async () => {
  expect(await handlers.getBilling(asked as never)).toEqual({
    status: 200,
    etag: expect.stringMatching(/^W\/"spend-limit-/),
    body: {
      billing: {
        provider: 'none',
        status: 'READY',
        paymentMethod: null,
        spendLimit: null,
        currentPeriod: null,
        savedCreates: [],
      },
    },
  });
});

test('there is nothing to set up then, and nothing to be told', async () => {
  const notUsed = { code: 'billing_not_used' };
  await expect(handlers.openCheckout({ ...asked, body: {} })).rejects.toMatchObject(notUsed);
  await expect(
    handlers.updateBilling({ ...asked, body: { spendLimit: null } }),
  ).rejects.toMatchObject(notUsed);
  await expect(handlers.listUsage({ ...asked, query: {} } as never)).rejects.toMatchObject(notUsed);
  await expect(handlers.listInvoices({ ...asked, query: {} } as never)).rejects.toMatchObject(
    notUsed,
  );
  await expect(
    handlers.receiveStripeEvent({ body: new Uint8Array(0), stripeSignature: 't=1' } as never),
  ).rejects.toMatchObject({ code: 'not_found' });
});
