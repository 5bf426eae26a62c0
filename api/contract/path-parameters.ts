import type { ProblemCode } from '../model/problems.ts';

/** Path parameters that are IDs. An invalid ID is answered as not found, with a hint that names are not accepted. */
export const pathParameters = {
  databaseId: { prefix: 'db', noun: 'database', notFound: 'database_not_found' },
  changeId: { prefix: 'chg', noun: 'change', notFound: 'change_not_found' },
  backupId: { prefix: 'bkp', noun: 'backup', notFound: 'backup_not_found' },
  scheduleId: {
    prefix: 'bks',
    noun: 'backup schedule',
    notFound: 'backup_schedule_not_found',
  },
  importId: { prefix: 'imp', noun: 'import', notFound: 'import_not_found' },
  jobId: { prefix: 'job', noun: 'job', notFound: 'job_not_found' },
  organizationId: { prefix: 'org', noun: 'organization', notFound: 'organization_not_found' },
  keyId: { prefix: 'key', noun: 'API key', notFound: 'api_key_not_found' },
  checkId: { prefix: 'chk', noun: 'connection check', notFound: 'connection_check_not_found' },
  endpointId: {
    prefix: 'whe',
    noun: 'webhook endpoint',
    notFound: 'webhook_endpoint_not_found',
  },
  deliveryId: {
    prefix: 'dlv',
    noun: 'webhook delivery',
    notFound: 'webhook_delivery_not_found',
  },
  streamId: { prefix: 'chs', noun: 'change stream', notFound: 'change_stream_not_found' },
  queryId: { prefix: 'qry', noun: 'saved query', notFound: 'saved_query_not_found' },
  membershipId: { prefix: 'mem', noun: 'member', notFound: 'member_not_found' },
  sessionId: { prefix: 'ses', noun: 'session', notFound: 'session_not_found' },
  invitationId: { prefix: 'inv', noun: 'invitation', notFound: 'invitation_not_found' },
} as const satisfies Record<
  string,
  { readonly prefix: string; readonly noun: string; readonly notFound: ProblemCode }
>;
export type PathParameter = keyof typeof pathParameters;

/** Path parameters that are numbers. */
export const pathNumbers = {
  replicaIndex: {
    noun: 'file: the replica’s index, or 0 for accounts and 1 for transfers',
    minimum: 0,
    maximum: 5,
  },
  partNumber: { noun: 'part, from 1', minimum: 1, maximum: 10_000 },
} as const satisfies Record<
  string,
  { readonly noun: string; readonly minimum: number; readonly maximum: number }
>;
export type PathNumber = keyof typeof pathNumbers;

const inPath = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The IDs in a path. */
export const namesInPath = (path: string): PathParameter[] =>
  inPath(path).filter((name): name is PathParameter => Object.hasOwn(pathParameters, name));

export const numbersInPath = (path: string): PathNumber[] =>
  inPath(path).filter((name): name is PathNumber => Object.hasOwn(pathNumbers, name));
