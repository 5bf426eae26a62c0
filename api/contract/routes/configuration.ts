import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, type RouteSpec } from '../route.ts';
import { cursor, limit } from '../schemas/common.ts';
import {
  configurationExample,
  parameterList,
  parametersExample,
  profileRevisionList,
  profilesExample,
  readConfiguration,
} from '../schemas/configuration.ts';

const one = '/api/v1/databases/{databaseId}';
const tag = 'Configuration';

export const configurationRoutes = {
  getConfiguration: {
    method: 'GET',
    path: `${one}/configuration`,
    tag,
    summary: 'Read the configuration of a database',
    description:
      'The configuration of the active profile. Its ETag may be sent as If-Match with a change.',
    access: access.readDatabase,
    responses: {
      200: answer('The configuration.', readConfiguration, { configuration: configurationExample }),
    },
    problems: [],
    conditional: 'read',
  },
  listParameters: {
    method: 'GET',
    path: `${one}/parameters`,
    tag,
    summary: 'List the parameters of a database’s engine',
    description: 'All parameters that the catalog has for its engine, with limits and values.',
    access: access.readDatabase,
    responses: { 200: answer('The parameters.', parameterList, parametersExample) },
    problems: [],
  },
  listProfiles: {
    method: 'GET',
    path: `${one}/profiles`,
    tag,
    summary: 'List the revisions of a database’s configuration',
    description:
      'The newest first. Each change makes one, over HTTP or in Kubernetes; `diff` has its differences, `actor` is its author.',
    access: access.readDatabase,
    query: z.strictObject({ limit, cursor }),
    responses: { 200: answer('A page of revisions.', profileRevisionList, profilesExample) },
    problems: ['invalid_cursor'],
  },
} as const satisfies Record<string, RouteSpec>;
