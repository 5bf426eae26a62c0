/** Reason why a data file cannot be used. Codes are stable; messages say what to do. */
type DataFileErrorCode =
  | 'not_a_data_file'
  | 'unknown_format_version'
  | 'superblock_corrupt'
  | 'checkpoint_corrupt'
  | 'index_damaged'
  | 'log_corrupt'
  | 'state_rejected'
  | 'unknown_rules'
  | 'exported_file'
  | 'not_checkpointed'
  | 'state_lost'
  | 'identity_invalid'
  | 'already_exists'
  | 'not_found'
  | 'locked';

export class DataFileError extends Error {
  override readonly name = 'DataFileError';
  readonly code: DataFileErrorCode;
  /** Byte offset of the damage in the file, if there is one. */
  readonly offset: number | undefined;

  constructor(
    code: DataFileErrorCode,
    message: string,
    options: { readonly offset?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.offset = options.offset;
  }
}

/**
 * The volume has no room for a checkpoint. Nothing is lost: the log still holds every entry. The caller stops taking
 * writes before the log is full (`logFull`), and calls `checkpoint` again when there may be room.
 */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
  readonly code = 'storage_full';
}

/** A write or sync failed. This is final: the content of the disk is unknown until the file is opened again. */
export class StorageFailedError extends Error {
  override readonly name = 'StorageFailedError';
  readonly code = 'storage_failed';
}

/** Advice for every error about corruption. */
export const CORRUPTION_ADVICE =
  'Keep the file for examination and bring this replica back from another replica or from a backup (restore).';
