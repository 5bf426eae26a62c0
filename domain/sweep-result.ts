/** Last words of a sweep of the bucket, as its pod leaves them for the operator. */
import { z } from 'zod';

const count = z.number().int().nonnegative();

export const sweepResultSchema = z.object({
  /** Archives that were looked at, and those of them that could not be swept. */
  archives: count,
  failed: count,
  /** Deleted objects' bytes: rows, files and log. */
  removedBytes: count,
  /** Removed backups whose objects go later, and those whose objects the store has locked. */
  waiting: count,
  locked: count,
});
export type SweepResult = z.infer<typeof sweepResultSchema>;
