/** Connection checks and snippets. */
import { z } from 'zod';
import { connectionLanguages, connectionWays } from '../../model/connection-check.ts';
import { exampleId, exampleTime, id, success, time } from './common.ts';

export const language = z.enum(connectionLanguages);

export const snippet = z
  .object({
    language,
    title: z.string().describe('Name of the language.'),
    notes: z.string().describe('Its requirements; may be empty.'),
    install: z.string().nullable().describe('Commands of a shell, one a line.'),
    file: z.object({ name: z.string(), content: z.string() }).nullable().describe('The program.'),
    run: z.string().describe('Commands of a shell. They need an API key in LEDGERHOUSE_API_KEY.'),
    environment: z
      .record(z.string(), z.string())
      .describe('Variables that the commands need besides the key.'),
  })
  .meta({ id: 'ConnectionSnippet' });

export const snippetAnswer = z.object({ snippet }).meta({ id: 'ConnectionSnippetAnswer' });

export const snippetExample: z.input<typeof snippet> = {
  language: 'node',
  title: 'Node.js',
  notes: '',
  install: 'npm install tigerbeetle-node@0.17.9\n',
  file: { name: 'main.js', content: "const { createClient } = require('tigerbeetle-node');\n" },
  run: 'ledgerhouse connect payments-prod --exec -- node main.js\n',
  environment: { LEDGERHOUSE_BASE_URL: 'https://ledgerhouse.example.com' },
};

export const createConnectionCheckRequest = z
  .strictObject({
    language: language
      .optional()
      .describe('Language of the snippet that you use; for your own records.'),
  })
  .meta({ id: 'CreateConnectionCheckRequest' });

export const connectionCheck = z
  .object({
    id: id('chk', 'ID of the check.'),
    databaseId: id('db', 'Its database.'),
    language: language.nullable(),
    accountId: z
      .string()
      .describe(
        'Look this account up, once. It does not exist; only this check knows its ID, which is a decimal of 128 bits.',
      ),
    status: z
      .enum(['WAITING', 'VERIFIED', 'EXPIRED'])
      .describe('VERIFIED when the lookup was seen.'),
    seenBy: z
      .array(z.enum(connectionWays))
      .describe(
        'Ways by which a lookup is seen. Databases of TigerBeetle do not report clients inside the Kubernetes cluster.',
      ),
    observed: z
      .object({
        at: time('When the lookup was seen.'),
        via: z
          .enum(connectionWays)
          .describe(
            'Through `ledgerhouse connect`, by the HTTP API, or from a pod in the Kubernetes cluster.',
          ),
        client: z
          .string()
          .nullable()
          .describe('The program; clients of the protocol do not send their name.'),
        clientVersion: z.string().nullable(),
        ip: z.string().nullable(),
        latencyMs: z
          .number()
          .nullable()
          .describe(
            'From the arrival of the lookup at the service to its answer; for `cluster`, at the replica.',
          ),
      })
      .nullable(),
    troubles: z
      .array(
        z.object({
          at: time('When it was seen.'),
          code: z.string(),
          detail: z.string(),
        }),
      )
      .describe(
        'Problems that kept clients from this database since the check was made, oldest first.',
      ),
    createdAt: time('When it was made.'),
    expiresAt: time('Time until which it waits.'),
  })
  .meta({ id: 'ConnectionCheck' });

export const connectionCheckAnswer = z.object({ connectionCheck }).meta({
  id: 'ConnectionCheckAnswer',
});
export const createdConnectionCheck = z.object({ success, connectionCheck }).meta({
  id: 'CreatedConnectionCheck',
});

export const connectionCheckExample: z.input<typeof connectionCheck> = {
  id: exampleId('chk'),
  databaseId: exampleId('db'),
  language: 'node',
  accountId: '41000000000000000000000000000000000001',
  status: 'VERIFIED',
  seenBy: ['tunnel', 'http', 'cluster'],
  observed: {
    at: exampleTime,
    via: 'tunnel',
    client: null,
    clientVersion: '0.17.9',
    ip: '203.0.113.7',
    latencyMs: 1.2,
  },
  troubles: [],
  createdAt: exampleTime,
  expiresAt: exampleTime,
};
