/** Checks that a client reaches a database. */
import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { id } from '../schemas/common.ts';
import {
  connectionCheckAnswer,
  connectionCheckExample,
  createConnectionCheckRequest,
  createdConnectionCheck,
  language,
  snippetAnswer,
  snippetExample,
} from '../schemas/connection.ts';

const one = '/api/v1/databases/{databaseId}';
const tag = 'Connections';

export const connectionRoutes = {
  createConnectionCheck: {
    method: 'POST',
    path: `${one}/connection-checks`,
    tag,
    summary: 'Begin a connection check',
    description:
      'Answers with the ID of an account that does not exist. When a client looks it up within 15 minutes, by the protocol or over HTTP, the check is VERIFIED. A lookup from inside the Kubernetes cluster is found when the check is read, a few seconds later.',
    access: access.readDatabase,
    body: {
      ...jsonBody(createConnectionCheckRequest, { node: { language: 'node' } }),
      optional: true,
    },
    responses: {
      201: answer(
        'It waits.',
        createdConnectionCheck,
        {
          success: true,
          connectionCheck: { ...connectionCheckExample, status: 'WAITING', observed: null },
        },
        ['Location'],
      ),
    },
    problems: ['database_not_ready', 'quota_exceeded'],
  },
  getConnectionSnippet: {
    method: 'GET',
    path: `${one}/snippets`,
    tag,
    summary: 'Show how to connect',
    description:
      'A program that looks one account up, complete: what to install, the file, and the command. With `checkId` it looks up the account of that check.',
    access: access.readDatabase,
    query: z.strictObject({
      language: language.default('node'),
      checkId: id('chk', 'A check of this database.').optional(),
    }),
    responses: { 200: answer('The snippet.', snippetAnswer, { snippet: snippetExample }) },
    problems: ['connection_check_not_found'],
  },
  getConnectionCheck: {
    method: 'GET',
    path: `${one}/connection-checks/{checkId}`,
    tag,
    summary: 'Read a connection check',
    access: access.readDatabase,
    query: z.strictObject({
      waitSeconds: z
        .int()
        .min(0)
        .max(25)
        .default(0)
        .describe('Answer when the check no longer waits, or after this many seconds.'),
    }),
    responses: {
      200: answer('The check.', connectionCheckAnswer, { connectionCheck: connectionCheckExample }),
    },
    problems: [],
    timeoutMs: 35_000,
  },
} as const satisfies Record<string, RouteSpec>;
