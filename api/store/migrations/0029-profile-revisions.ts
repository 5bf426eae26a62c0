import type { Migration } from './migration.ts';

export const profileRevisions: Migration = {
  number: 29,
  name: 'profile-revisions',
  sql: `
-- autogrow_limit_gb: up to which size storage grows by itself; null: it does not.
-- actor: who made the revision; null: a revision from before this was kept.
ALTER TABLE profiles
  ADD COLUMN autogrow_limit_gb integer CHECK (autogrow_limit_gb > 0),
  ADD COLUMN suspended boolean NOT NULL DEFAULT false,
  ADD COLUMN actor jsonb;
UPDATE profiles SET actor = databases.created_by
  FROM databases WHERE databases.id = profiles.database_id AND profiles.revision = 1;
`,
};
