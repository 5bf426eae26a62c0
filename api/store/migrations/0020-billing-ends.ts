import type { Migration } from './migration.ts';

export const billingEnds: Migration = {
  number: 20,
  name: 'billing-ends',
  sql: `
-- card_applied: the provider was told to charge the newest card; whoever chooses another one there by hand is not overruled.
-- closed_at: the subscription was ended for good, because the organization was purged.
ALTER TABLE billing_accounts
  ADD COLUMN card_applied boolean NOT NULL DEFAULT false,
  ADD COLUMN closed_at timestamptz(3);
UPDATE billing_accounts SET card_applied = true WHERE card_id IS NOT NULL;
`,
};
