/**
 * Every problem that the API answers with (RFC 9457), one row for each code. `code` and `title` never change; each occurrence has
 * its own `detail`. `retryable`: the same request may succeed later, unchanged.
 */
import { ledgerProblems } from './ledger-problems.ts';

export interface ProblemRow {
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
  malformed_json:
    'Send a body that is JSON (RFC 8259); `offset` is the byte at which it ceases to be.',
  payload_too_large: 'Send less at once; `limitBytes` is how much may be sent.',
  validation_failed: 'Mend what `errors` lists; each `pointer` is a place in the body.',
  invalid_integer:
    'Send integers as strings of digits or as JSON integers, without sign, fraction or exponent, within the range of the field.',
  invalid_filter: 'Mend the filter; as it is it can match nothing, or the limit is out of range.',
  batch_too_large: 'Split the events over several requests of at most `maxEventsPerBatch`.',
  gateway_bad_reply: 'Retry with the same ids; tell the operators of the service when it goes on.',
  ledger_unavailable: 'Nothing was executed. Retry after the time of the header Retry-After.',
  ledger_full:
    'Nothing was executed, and reads go on. Give the database a larger size or more storage; then send the request again.',
  ledger_timeout:
    'Nobody knows whether it was executed. Retry with the same ids: what was done is answered as `exists`.',
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
    'Mend the parameter or header that `errors` names.',
  ),
  invalid_cursor: problem(
    400,
    'The cursor is not valid',
    'Begin the list anew without `cursor`; cursors are good for 24 hours and for the filters they were made with.',
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
    'Check that the whole key was sent and that it was not revoked; make a new one where in doubt.',
  ),
  credential_expired: problem(
    401,
    'The credential has expired',
    'Rotate the key, or make another one.',
  ),
  sign_in_failed: problem(
    400,
    'The sign-in did not succeed',
    'Begin it again; each step can be done once, within ten minutes, in the browser that began it.',
  ),
  billing_required: problem(
    402,
    'Billing setup required',
    'Open `billing.checkoutUrl`, or raise the spend limit where `billing.reason` is `SPEND_LIMIT_REACHED`; then send the request again.',
  ),
  billing_not_used: problem(
    409,
    'This service bills nobody',
    'There is nothing to set up: databases can be created.',
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
    'Send the header `X-CSRF-Token` with the value that the session was opened with.',
  ),
  provisioning_not_permitted: problem(
    403,
    'The organization may not create databases',
    'Ask the operators of the service.',
  ),
  quota_exceeded: problem(
    403,
    'The organization has as many as it may',
    'Delete one, or ask the operators of the service for more.',
  ),
  not_found: problem(404, 'There is nothing here', 'Check the path against the reference.'),
  database_not_found: problem(
    404,
    'Database not found',
    'Use the ID (`db_…`), not the name; `GET /api/v1/databases?name=` finds it.',
  ),
  job_not_found: problem(404, 'Job not found', 'Check the ID (`job_…`).'),
  member_not_found: problem(404, 'Member not found', 'Check the ID (`mem_…`).'),
  invitation_not_found: problem(
    404,
    'Invitation not found',
    'Sign in with the address that was invited, or ask for another invitation: each can be used once, for seven days.',
  ),
  organization_not_found: problem(404, 'Organization not found', 'Check the ID (`org_…`).'),
  session_not_found: problem(404, 'Session not found', 'Check the ID (`ses_…`).'),
  api_key_not_found: problem(404, 'API key not found', 'Check the ID (`key_…`).'),
  webhook_endpoint_not_found: problem(404, 'Webhook endpoint not found', 'Check the ID (`whe_…`).'),
  unknown_operation: problem(404, 'No such ledger operation', 'Use one of `allowedOperations`.'),
  method_not_allowed: problem(405, 'The method is not allowed', 'Use one of those in `Allow`.'),
  not_acceptable: problem(406, 'No such form of the answer', 'Accept `application/json`.'),
  database_name_taken: problem(
    409,
    'The name is taken',
    'Choose another name; names are unique among the databases of an organization that are not deleted.',
  ),
  database_not_ready: problem(
    409,
    'The database is not ready',
    'While `databaseStatus` is PROVISIONING, wait until it is READY. FAILED, SUSPENDED and DELETING last until somebody acts: `retryable` is false then.',
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
  not_cancellable: problem(
    409,
    'The job cannot be cancelled',
    'It has ended, or what it does cannot be stopped halfway.',
  ),
  not_waiting: problem(
    409,
    'The job does not wait for people',
    'Only jobs whose status is WAITING can be completed or refused, once.',
  ),
  not_retryable: problem(
    409,
    'The job cannot be retried',
    'Only jobs that failed can be, and none whose database has gone on since.',
  ),
  catalog_changed: problem(
    409,
    'The catalog has changed',
    'Read it again, and send the new `catalogVersion`.',
  ),
  organization_slug_taken: problem(409, 'The slug is taken', 'Choose another one.'),
  already_member: problem(409, 'They are a member', 'Change their role instead.'),
  invitation_exists: problem(
    409,
    'There is an open invitation',
    'Send it again, or revoke it first.',
  ),
  last_owner: problem(
    409,
    'An organization has one owner at least',
    'Make another member an owner first.',
  ),
  api_key_not_active: problem(409, 'The key is not active', 'Make another one.'),
  database_purged: problem(
    410,
    'The database is gone for good',
    'Its time to be restored has passed; `purgedAt` says when.',
  ),
  precondition_failed: problem(
    412,
    'It was changed meanwhile',
    'Read it again, and send the ETag that you get as If-Match.',
  ),
  unsupported_media_type: problem(
    415,
    'The body’s type is not supported',
    'Send `Content-Type: application/json`, encoded as identity, gzip, deflate, br or zstd.',
  ),
  catalog_choice_unavailable: problem(
    422,
    'Not in the catalog',
    'Choose from what `errors` says there is; `GET /api/v1/catalog/create` has everything.',
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
  rate_limited: problem(
    429,
    'Too many requests',
    'Wait for the time of the header Retry-After. The policy is in RateLimit-Policy.',
    true,
  ),
  internal_error: problem(
    500,
    'This is our mistake',
    'Tell the operators of the service the `requestId`.',
  ),
  provisioning_not_supported: problem(
    501,
    'The provider makes no databases of this kind',
    'Choose another provider.',
  ),
  identity_provider_unavailable: problem(
    503,
    'The identity provider does not answer',
    'Try again soon; keys and sessions that there are go on working.',
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
