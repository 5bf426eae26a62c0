/** Queries of the explorer that are saved for everybody who may see the database. */
import { z } from 'zod';
import { filterNames, filtersMax, queryOperations } from '../../model/saved-query.ts';
import { actor, exampleId, exampleTime, id, success, text, time } from './common.ts';

const name = text(100, 'Unique in the database.').regex(/\S/, {
  error: 'must have more than spaces',
});
const operation = z.enum(queryOperations).describe('The read that it asks for.');
const filters = z
  .partialRecord(z.enum(filterNames), z.string().min(1).max(filtersMax))
  .refine((given) => Object.values(given).join('').length <= filtersMax, {
    error: `must have at most ${filtersMax} characters in all`,
  })
  .describe(
    'The fields of the form as they were typed, such as `-1h` as `from`, or `body`: JSON in their place. The form says what is wrong with them.',
  );

export const createSavedQueryRequest = z
  .strictObject({ name, operation, filters: filters.default({}) })
  .meta({ id: 'CreateSavedQueryRequest' });

export const updateSavedQueryRequest = z
  .strictObject({
    name: name.optional(),
    operation: operation.optional(),
    filters: filters.optional().describe('In the place of all that it has.'),
  })
  .meta({ id: 'UpdateSavedQueryRequest' });

const savedQuery = z
  .object({
    id: id('qry', 'ID of the query.'),
    databaseId: id('db', 'Its database.'),
    name,
    operation,
    filters,
    version: z.int().describe('Increases with each change; part of the ETag.'),
    createdAt: time('When it was saved.'),
    createdBy: actor,
    updatedAt: time('When it last changed.'),
  })
  .meta({ id: 'SavedQuery' });

export const savedQueryList = z.object({ data: z.array(savedQuery) }).meta({
  id: 'SavedQueryList',
});
export const readSavedQuery = z.object({ savedQuery }).meta({ id: 'SavedQueryAnswer' });
export const changedSavedQuery = z
  .object({ success, savedQuery })
  .meta({ id: 'ChangedSavedQuery' });

export const savedQueryExample: z.input<typeof savedQuery> = {
  id: exampleId('qry'),
  databaseId: exampleId('db'),
  name: 'Fees of today',
  operation: 'query_transfers',
  filters: { ledger: '978', code: '4', from: '-24h' },
  version: 1,
  createdAt: exampleTime,
  createdBy: { type: 'user', id: exampleId('usr'), display: 'Ada Moser' },
  updatedAt: exampleTime,
};
