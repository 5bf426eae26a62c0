import { namesInPath, pathParameters } from './path-parameters.ts';
import type { ProblemCode } from '../model/problems.ts';
import { opensSocket, takesIdempotencyKey, type RouteSpec } from './route.ts';

/**
 * Whether the route is closed to a suspended organization. Reads, also of a ledger, stay open, so that the organization can get
 * at its records; so do routes that end access or remove something, and those for a person's own affairs.
 */
export function isStoppedBySuspension(route: RouteSpec): boolean {
  const { access, method } = route;
  if (access.kind === 'public' || access.kind === 'self') return false;
  if (access.kind === 'database' && access.permission === 'db:read') return false;
  return method !== 'GET' && route.endsAccess !== true && route.whileSuspended !== true;
}

/** All problems that a route may answer with: its own, and those that its access, parameters and body imply. */
export function problemsOf(route: RouteSpec): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>([
    'invalid_parameter',
    'rate_limited',
    'internal_error',
    'service_unavailable',
    ...route.problems,
  ]);
  const add = (...more: readonly ProblemCode[]) => more.forEach((code) => codes.add(code));
  if (route.access.kind !== 'public') {
    add('authentication_required', 'invalid_credentials', 'credential_expired');
    // For a request that names an organization without the caller.
    add('conflicting_credentials', 'organization_not_found');
    if (route.method !== 'GET' || opensSocket(route)) add('csrf_failed');
  }
  if (route.access.kind === 'database') add('insufficient_scope');
  if (route.access.kind === 'person') add('insufficient_scope', 'session_required');
  if (route.access.kind === 'self' && !route.access.keys) add('session_required');
  if (route.access.kind !== 'public' && route.access.kind !== 'self') add('organization_required');
  if (isStoppedBySuspension(route)) add('organization_suspended');
  for (const name of namesInPath(route.path)) add(pathParameters[name].notFound);
  if (route.body?.form === 'octets') add('payload_too_large', 'unsupported_media_type');
  else if (route.body !== undefined) {
    add('malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed');
  }
  if (route.conditional === 'match') add('precondition_failed');
  if (takesIdempotencyKey(route)) {
    add('idempotency_in_progress', 'idempotency_answer_lost', 'idempotency_key_reused');
  }
  return [...codes];
}
