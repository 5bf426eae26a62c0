/** Why rows of a bucket could not be executed, with a code for the program that began it. */
import { ArchiveError } from '../../archive/errors.ts';
import { StorageFullError } from '../../log/errors.ts';
import { isFull } from '../../log/storage.ts';
import { TooManyClosings } from '../../rows/check-rows.ts';
import { LedgerTooLarge } from '../../rows/row-executor.ts';

/** `noRoom`: what to do if the folder is full. */
export function rowsProblem(error: unknown, noRoom: string): unknown {
  if (error instanceof LedgerTooLarge || error instanceof TooManyClosings)
    return new ArchiveError('import_too_large', error.message, { cause: error });
  if (isFull(error) || error instanceof StorageFullError)
    return new ArchiveError('import_no_room', noRoom, { cause: error });
  return error;
}
