import type { Migration } from './migration.ts';

export const billingCards: Migration = {
  number: 16,
  name: 'billing-cards',
  sql: `
-- The newest payment method that a completed checkout has set up, and when it was made: checkouts can be heard of in any order.
ALTER TABLE billing_accounts
  ADD COLUMN card_id text,
  ADD COLUMN card_made_at timestamptz(3),
  ADD CHECK ((card_id IS NULL) = (card_made_at IS NULL));
`,
};
