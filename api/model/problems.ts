/**
 * Every problem that the API answers with (RFC 9457), one row for each code. `code` and `title` never change; each occurrence has
 * its own `detail`. `retryable`: the same request may succeed later, unchanged.
 */
import { ledgerProblems } from './ledger-problems.ts';

interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  /** Advice to the client, for the reference page. */
  readonly advice: string;
}

const problem = (status: number, title: string, advice: string, retryable = false): ProblemRow => ({
  status,
  title,
  retryable,
  advice,
});

const ledgerAdvice: Readonly<Record<keyof typeof ledgerProblems, string>> = {
  cdc_enabled: 'Pause the change streams, import, and resume them.',
  malformed_json: 'Send a body that is JSON (RFC 8259); `offset` is the first byte that is not.',
  payload_too_large: 'Send a smaller body; `limitBytes` is the maximum.',
  validation_failed:
    'Correct the errors listed in `errors`; each `pointer` is a place in the body.',
  invalid_integer:
    'Send integers as strings of digits or as JSON integers, without sign, fraction or exponent, within the range of the field.',
  invalid_filter: 'Correct the filter: it can match nothing, or its limit is out of range.',
  batch_too_large: 'Split the events over several requests of at most `maxEventsPerBatch`.',
  gateway_bad_reply:
    'Retry with the same ids; tell the operators of the service if it happens again.',
  ledger_unavailable: 'Nothing was executed. Retry after the time of the header Retry-After.',
  ledger_full:
    'Nothing was executed, and reads go on. Give the database a larger size or more storage; then send the request again.',
  ledger_timeout:
    'The request may have been executed. Retry with the same ids: events that were executed are answered as `exists`.',
};

const ofLedger = Object.fromEntries(
  Object.entries(ledgerProblems).map(([code, row]) => [
    code,
    { ...row, advice: ledgerAdvice[code as keyof typeof ledgerProblems] },
  ]),
) as Record<keyof typeof ledgerProblems, ProblemRow>;

export const problems = {
  ...ofLedger,
  invalid_parameter: problem(
    400,
    'A parameter is not valid',
    'Correct the parameter or header that `errors` names.',
  ),
  invalid_cursor: problem(
    400,
    'The cursor is not valid',
    'Begin the list again without `cursor`; a cursor is valid for 24 hours and only with the same filters.',
  ),
  conflicting_credentials: problem(
    400,
    'Two different credentials',
    'Send one credential: either `x-api-key` or `Authorization`.',
  ),
  authentication_required: problem(
    401,
    'Authentication required',
    'Send an API key as `x-api-key: <key>` or `Authorization: Bearer <key>`.',
  ),
  invalid_credentials: problem(
    401,
    'The credential is not valid',
    'Check that you sent the whole key and that it was not revoked; if in doubt, make a new one.',
  ),
  credential_expired: problem(
    401,
    'The credential has expired',
    'Rotate the key, or make another one.',
  ),
  sign_in_failed: problem(
    400,
    'The sign-in did not succeed',
    'Begin the sign-in again; each step works once, within ten minutes, in the browser that began it.',
  ),
  billing_required: problem(
    402,
    'Billing setup required',
    'Open `billing.checkoutUrl`, or raise the spend limit if `billing.reason` is `SPEND_LIMIT_REACHED`; then send the request again.',
  ),
  billing_not_used: problem(
    409,
    'Billing is not used',
    'This service bills nobody. No set-up is needed: databases can be created.',
  ),
  insufficient_scope: problem(
    403,
    'The credential does not allow this',
    'Use a credential that has `requiredPermissions`, `requiredDatabaseScope` or one of `requiredRoles`.',
  ),
  session_required: problem(
    403,
    'Only a person may do this',
    'Open a session; API keys cannot manage keys, webhooks or organizations.',
  ),
  organization_required: problem(
    403,
    'You belong to no organization',
    'Accept an invitation, or ask an owner of the organization for one.',
  ),
  csrf_failed: problem(
    403,
    'The request does not come from our own pages',
    'Send the header `X-CSRF-Token` with the value that you got when the session was opened.',
  ),
  provisioning_not_permitted: problem(
    403,
    'Only the administrator of the installation may do this',
    'Ask the operators of the service.',
  ),
  organization_suspended: problem(
    403,
    'The organization is suspended',
    'Ask the operators of the service. Reading, deleting databases and revoking access go on; running databases go on too.',
  ),
  quota_exceeded: problem(
    403,
    'Quota exceeded',
    'Delete an object of this kind, or ask the operators of the service for a larger quota.',
  ),
  not_found: problem(404, 'Not found', 'Check the path against the reference.'),
  database_not_found: problem(
    404,
    'Database not found',
    'Use the ID (`db_…`), not the name; `GET /api/v1/databases?name=` finds it.',
  ),
  change_not_found: problem(404, 'Change not found', 'Check the ID (`chg_…`).'),
  backup_not_found: problem(404, 'Backup not found', 'Check the ID (`bkp_…`).'),
  backup_schedule_not_found: problem(404, 'Backup schedule not found', 'Check the ID (`bks_…`).'),
  import_not_found: problem(404, 'Import not found', 'Check the ID (`imp_…`).'),
  job_not_found: problem(404, 'Job not found', 'Check the ID (`job_…`).'),
  member_not_found: problem(404, 'Member not found', 'Check the ID (`mem_…`).'),
  invitation_not_found: problem(
    404,
    'Invitation not found',
    'Sign in with the invited address, or ask for another invitation: each can be used once, within seven days.',
  ),
  organization_not_found: problem(404, 'Organization not found', 'Check the ID (`org_…`).'),
  session_not_found: problem(404, 'Session not found', 'Check the ID (`ses_…`).'),
  api_key_not_found: problem(404, 'API key not found', 'Check the ID (`key_…`).'),
  connection_check_not_found: problem(
    404,
    'Connection check not found',
    'Check the ID (`chk_…`); a check is kept for a day.',
  ),
  saved_query_not_found: problem(404, 'Saved query not found', 'Check the ID (`qry_…`).'),
  webhook_endpoint_not_found: problem(404, 'Webhook endpoint not found', 'Check the ID (`whe_…`).'),
  webhook_delivery_not_found: problem(
    404,
    'Webhook delivery not found',
    'Check the ID (`dlv_…`); deliveries are kept for 30 days.',
  ),
  change_stream_not_found: problem(404, 'Change stream not found', 'Check the ID (`chs_…`).'),
  change_stream_not_signed: problem(
    409,
    'The stream has no secret that signs',
    'Only webhooks have one. Give a broker’s password with `sink` in a change of the stream.',
  ),
  unknown_operation: problem(404, 'Unknown ledger operation', 'Use one of `allowedOperations`.'),
  method_not_allowed: problem(
    405,
    'The method is not allowed',
    'Use a method that the header `Allow` lists.',
  ),
  not_acceptable: problem(406, 'No acceptable format of the answer', 'Accept `application/json`.'),
  database_name_taken: problem(
    409,
    'The name is taken',
    'Choose another name; two databases of an organization cannot have the same name unless one is deleted.',
  ),
  database_not_ready: problem(
    409,
    'The database is not ready',
    'While `databaseStatus` is PROVISIONING, wait until it is READY. FAILED, SUSPENDED and DELETING need somebody to act: `retryable` is then false.',
    true,
  ),
  database_not_deleted: problem(
    409,
    'The database is not deleted',
    'Only deleted databases can be restored.',
  ),
  deletion_protected: problem(
    409,
    'The database is protected',
    'Set `deletionProtection` to false first.',
  ),
  backups_not_configured: problem(
    409,
    'The service has no store for backups',
    'The operators of the service must set `backups.store` of the chart.',
  ),
  backups_not_supported: problem(
    409,
    'The engine has no last backup',
    'Only databases of the built-in engine are backed up as they are deleted. Make a backup before, and delete without `finalBackup`.',
  ),
  backup_schedule_name_taken: problem(
    409,
    'The name of the schedule is taken',
    'Choose another name; it is unique in the organization, also among schedules that are in Kubernetes only. An administrator can delete one of those with kubectl.',
  ),
  saved_query_name_taken: problem(
    409,
    'The name of the query is taken',
    'Choose another name, or change the query that has it.',
  ),
  backup_held: problem(
    409,
    'The backup is held',
    'If its reason no longer applies, release it first (`DELETE …/hold`).',
  ),
  backup_protected: problem(409, 'The backup is protected', 'Set its `protected` to false first.'),
  backup_not_restorable: problem(
    409,
    'The backup cannot be restored',
    'Only a backup that is SUCCEEDED can be restored.',
  ),
  moment_unavailable: problem(
    409,
    'The moment cannot be restored',
    'Choose one of the moments that `moments` names, or any one of the recovery window outside of its gaps.',
  ),
  backup_not_managed: problem(
    409,
    'The backup has no resource in Kubernetes',
    'It stays in the store and can be restored. The operators of the service can remove it there.',
  ),
  imports_not_configured: problem(
    409,
    'The service takes no files',
    'The operators of the service must set `imports` of the chart. They can also stage the files themselves.',
  ),
  import_closed: problem(
    409,
    'The import takes no parts any more',
    'An import that is READY or USED is whole. One that is EXPIRED must be made again.',
  ),
  import_incomplete: problem(
    409,
    'Parts are missing',
    'Upload the parts that `missing` names, then complete the import.',
  ),
  import_not_ready: problem(
    409,
    'The import is not ready',
    'Upload all parts and complete it first. One that is USED or EXPIRED must be made again.',
  ),
  import_in_use: problem(
    409,
    'A database is being made of the import',
    'Wait until that database is READY, retry its job, or delete it.',
  ),
  resource_changed: problem(
    409,
    'The resource was changed at the same time',
    'Nothing was changed; send the request again.',
    true,
  ),
  operation_in_progress: problem(
    409,
    'Another operation is in progress',
    'Wait for `blockingJobId`.',
    true,
  ),
  idempotency_in_progress: problem(
    409,
    'The same request is still being worked on',
    'Retry after the time of the header Retry-After.',
    true,
  ),
  idempotency_answer_lost: problem(
    409,
    'The request was carried out, and its answer can no longer be read',
    'Look at what the request made. A new key would carry it out again.',
  ),
  change_not_queued: problem(
    409,
    'The change does not wait',
    'Only a change that is QUEUED can be withdrawn. To take one back, ask for an earlier revision.',
  ),
  field_managed_elsewhere: problem(
    409,
    'Somebody else declares this field',
    'The program that `errors` names declares the field in Kubernetes; change it there, or remove the field from its manifest.',
  ),
  not_cancellable: problem(
    409,
    'The job cannot be cancelled',
    'The job has ended, or its work cannot be stopped halfway.',
  ),
  not_waiting: problem(
    409,
    'The job does not wait for a person',
    'Only jobs whose status is WAITING can be completed or refused, once.',
  ),
  not_retryable: problem(
    409,
    'The job cannot be retried',
    'Retry only a job that failed and whose database has not changed since.',
  ),
  catalog_changed: problem(
    409,
    'The catalog has changed',
    'Read it again, and send the new `catalogVersion`.',
  ),
  organization_not_empty: problem(
    409,
    'The organization has databases',
    'Delete its databases first, and wait until they are `DELETED`.',
  ),
  organization_not_deleted: problem(
    409,
    'The organization is not deleted',
    'There is nothing to restore.',
  ),
  organization_slug_taken: problem(409, 'The slug is taken', 'Choose another one.'),
  already_member: problem(409, 'Already a member', 'Change their role instead.'),
  invitation_exists: problem(
    409,
    'An invitation is already open',
    'Send that invitation again, or revoke it first.',
  ),
  last_owner: problem(
    409,
    'An organization needs at least one owner',
    'Make another member an owner first.',
  ),
  webhook_endpoint_disabled: problem(
    409,
    'The webhook endpoint is disabled',
    'Enable it first: `PATCH` it with `status` `ENABLED`.',
  ),
  api_key_not_active: problem(409, 'The key is not active', 'Make another one.'),
  database_purged: problem(
    410,
    'The database is gone for good',
    'It can no longer be restored; `purgedAt` is the time at which its data were deleted.',
  ),
  precondition_failed: problem(
    412,
    'The object was changed meanwhile',
    'Read the object again, and send its new ETag as If-Match.',
  ),
  unsupported_media_type: problem(
    415,
    'The body’s type is not supported',
    'Send `Content-Type: application/json`, encoded as identity, gzip, deflate, br or zstd.',
  ),
  catalog_choice_unavailable: problem(
    422,
    'Not in the catalog',
    'Choose one of the values in `errors`; `GET /api/v1/catalog/create` lists all.',
  ),
  import_files_wrong: problem(
    422,
    'The files cannot be imported',
    'Each of `errors` names the file and the field, and what to do.',
  ),
  import_part_wrong: problem(
    422,
    'The part is not the one that was announced',
    'Send exactly the bytes of this part, with their SHA-256.',
  ),
  import_does_not_fit: problem(
    422,
    'The import does not fit the database',
    'Correct the choices that `errors` names: the files decide the topology, the engine and the oldest release.',
  ),
  nothing_to_change: problem(
    422,
    'Nothing would change',
    'The database already is as the request asks.',
  ),
  storage_cannot_shrink: problem(
    422,
    'Storage cannot shrink',
    'Ask for at least the present size of the volumes, which `errors` names.',
  ),
  storage_unavailable_for_topology: problem(
    422,
    'This storage is not available for this topology',
    'Choose another tier, or one of `supportedClusterConfigurations`.',
  ),
  idempotency_key_reused: problem(
    422,
    'The idempotency key was used for another request',
    'Send a new key with a new request.',
  ),
  upgrade_required: problem(
    426,
    'Only a WebSocket may be opened here',
    'Send the headers of RFC 6455 for an upgrade to `websocket`; `ledgerhouse connect` does so. A proxy in between must pass them on.',
  ),
  rate_limited: problem(
    429,
    'Too many requests',
    'Wait for the time in the header Retry-After. The header RateLimit-Policy names the limit.',
    true,
  ),
  internal_error: problem(
    500,
    'Internal error',
    'Report the `requestId` to the operators of the service.',
  ),
  identity_provider_unavailable: problem(
    503,
    'The identity provider does not answer',
    'Try again in a minute; existing keys and sessions still work.',
    true,
  ),
  service_unavailable: problem(
    503,
    'The service is not available at the moment',
    'Retry after the time of the header Retry-After.',
    true,
  ),
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problems;

export const problemCodes = Object.keys(problems) as ProblemCode[];

/** RFC 9457 `type`: URL of the problem's page in the documentation. */
export const problemType = (docsUrl: string, code: ProblemCode): string =>
  code === 'rate_limited'
    ? 'https://iana.org/assignments/http-problem-types#quota-exceeded'
    : `${docsUrl}/problems/${code.replaceAll('_', '-')}`;
