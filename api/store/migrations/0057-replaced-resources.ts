import type { Migration } from './migration.ts';

export const replacedResources: Migration = {
  number: 57,
  name: 'replaced-resources',
  sql: `
-- replaced: the resource that a change of shape replaces by another one of the same name and ID.
ALTER TABLE configuration_changes ADD COLUMN replaced jsonb;
`,
};
