import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import {
  changedSavedQuery,
  createSavedQueryRequest,
  readSavedQuery,
  savedQueryExample,
  savedQueryList,
  updateSavedQueryRequest,
} from '../schemas/saved-query.ts';

const path = '/api/v1/databases/{databaseId}/saved-queries';
const one = `${path}/{queryId}` as const;
const tag = 'Saved queries';
const { name, operation, filters } = savedQueryExample;
const changed = { success: true, savedQuery: savedQueryExample } as const;

export const savedQueryRoutes = {
  createSavedQuery: {
    method: 'POST',
    path,
    tag,
    summary: 'Save a query of the explorer',
    description:
      'For everybody who may see the database. It holds what was asked, never rows of the ledger.',
    access: access.savedQueries,
    body: jsonBody(createSavedQueryRequest, { fees: { name, operation, filters } }),
    responses: { 201: answer('It is saved.', changedSavedQuery, changed, ['Location']) },
    problems: ['saved_query_name_taken', 'quota_exceeded'],
  },
  listSavedQueries: {
    method: 'GET',
    path,
    tag,
    summary: 'List the saved queries of a database',
    description: 'By name; there are at most 100.',
    access: access.readDatabase,
    responses: { 200: answer('The queries.', savedQueryList, { data: [savedQueryExample] }) },
    problems: [],
  },
  getSavedQuery: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a saved query',
    access: access.readDatabase,
    responses: { 200: answer('The query.', readSavedQuery, { savedQuery: savedQueryExample }) },
    problems: [],
    conditional: 'read',
  },
  updateSavedQuery: {
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a saved query',
    description: 'For the person who saved it, owners and admins. Absent properties stay.',
    access: access.savedQueries,
    body: jsonBody(updateSavedQueryRequest, { rename: { name: 'Fees since yesterday' } }),
    responses: { 200: answer('It is changed.', changedSavedQuery, changed) },
    problems: ['saved_query_name_taken'],
    conditional: 'match',
  },
  deleteSavedQuery: {
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a saved query',
    description: 'For the person who saved it, owners and admins.',
    access: access.savedQueries,
    responses: { 204: empty('It is gone.') },
    problems: [],
    conditional: 'match',
  },
} as const satisfies Record<string, RouteSpec>;
