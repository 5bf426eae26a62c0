/** Reason why a backup cannot be made, read or restored. Codes are stable; messages say what to do. */
export type ArchiveErrorCode =
  | 'store_unreachable'
  | 'store_refused'
  | 'store_full'
  | 'store_overwrites'
  | 'bucket_missing'
  | 'archive_foreign'
  | 'archive_unknown'
  | 'backup_of_files'
  | 'backup_unknown'
  | 'backup_removed'
  | 'format_unknown'
  | 'lock_missing'
  | 'lock_wrong'
  | 'object_locked'
  | 'key_missing'
  | 'keys_wrong'
  | 'object_missing'
  | 'object_damaged'
  | 'checkpoint_old'
  | 'checkpoint_unsupported'
  | 'state_rejected'
  | 'writes_not_paused'
  | 'file_unfit'
  | 'file_changed'
  | 'moment_unavailable'
  | 'import_missing'
  | 'import_foreign'
  | 'import_differs'
  | 'import_cut'
  | 'import_newer'
  | 'import_empty'
  | 'import_future'
  | 'import_too_large'
  | 'import_no_room'
  | 'cluster_unreachable'
  | 'cluster_behind'
  | 'cluster_differs'
  | 'ledger_too_large'
  | 'no_room'
  | 'timeouts_open'
  | 'chain_too_long'
  | 'timestamps_ahead';

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly code: ArchiveErrorCode;
  /** Key of the object that is at fault, if there is one. */
  readonly key: string | undefined;

  constructor(
    code: ArchiveErrorCode,
    message: string,
    options: { readonly key?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.key = options.key;
  }
}

export const damaged = (key: string, what: string): ArchiveError =>
  new ArchiveError(
    'object_damaged',
    `${key}: ${what}. The object is not what was written; backups that do not use it are not affected.`,
    { key },
  );

export const missing = (key: string, cause?: unknown): ArchiveError =>
  new ArchiveError(
    'object_missing',
    `${key} is not in the bucket. Somebody or a rule of the bucket removed it; backups that do not use it are not affected.`,
    { key, cause },
  );

/** Whether an object is damaged or missing. */
export const isLost = (error: unknown): boolean =>
  error instanceof ArchiveError &&
  (error.code === 'object_damaged' || error.code === 'object_missing');
