/** Meaning of an S3 server's answers for an archive. */
import { ArchiveError } from './errors.ts';

interface S3Failure {
  readonly name?: string;
  readonly message?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const statusOf = (error: unknown): number | undefined =>
  (error as S3Failure).$metadata?.httpStatusCode;

const nameOf = (error: unknown): string => {
  const { name, Code } = error as S3Failure;
  return name ?? Code ?? 'Error';
};

const FULL = new Set([
  'EntityTooLarge',
  'InsufficientCapacity',
  'QuotaExceeded',
  'XMinioStorageFull',
]);

/** The object exists: the answer to a conditional write, or to a write that raced with another. */
export const isExists = (error: unknown): boolean => statusOf(error) === 412;

export const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';

/** There is no object, or its newest version is the mark that it was deleted. */
export const isGone = (error: unknown): boolean =>
  (isMissing(error) && !isUnlocked(error)) || statusOf(error) === 405;

/** The object exists, and has no lock. The second name is that of Ceph's gateway; of a bucket, both say that it cannot lock. */
export const isUnlocked = (error: unknown): boolean =>
  ['NoSuchObjectLockConfiguration', 'ObjectLockConfigurationNotFoundError'].includes(nameOf(error));

/** The server does not know what is asked for. */
export const isUnknown = (error: unknown): boolean => statusOf(error) === 501;

/** A refusal, as `namedError` gives it. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ArchiveError && error.code === 'store_refused' && statusOf(error.cause) === 403;

/** The object has no byte at the requested offset. An object that is read from its beginning is then empty. */
export const isEmptyRange = (error: unknown): boolean => statusOf(error) === 416;

/** Whether the same request may succeed later: no answer, a busy server, or a conflict with another write. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ArchiveError) return false;
  const status = statusOf(error);
  if (status === undefined || status < 300) return true;
  if (status === 507 || FULL.has(nameOf(error))) return false;
  return status >= 500 || status === 429 || status === 408 || status === 409;
}

/** The error with its name and advice. `where` names endpoint and bucket. */
export function namedError(error: unknown, where: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const [status, name] = [statusOf(error), nameOf(error)];
  const said = `${name}: ${(error as S3Failure).message ?? ''}`.trim();
  const options = { cause: error };
  if (name === 'NoSuchBucket') {
    return new ArchiveError('bucket_missing', `${where} does not exist. Make the bucket.`, options);
  }
  if (status === 507 || FULL.has(name)) {
    return new ArchiveError('store_full', `${where} takes no more (${said}). Make room.`, options);
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return new ArchiveError(
      'store_refused',
      `${where} refused the request (${status} ${said}). Check key, secret, region, the bucket's rules and this machine's clock.`,
      options,
    );
  }
  return new ArchiveError('store_unreachable', `${where} does not answer (${said}).`, options);
}
