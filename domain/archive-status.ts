/** Report of an archiver to its engine, and its state in the engine's `/status`. The operator and the API read it. */
import { z } from 'zod';

/** How continuous archiving stands: the words are reasons of the condition ContinuousArchiving, too. */
export const archiveStates = [
  /** The archiver has not reported yet. */
  'Starting',
  'Archiving',
  'CatchingUp',
  'StoreUnreachable',
  'StoreRefused',
  'StoreFull',
  'StoreOverwrites',
  'KeyMissing',
  'ArchiveForeign',
  'ArchiveDamaged',
  /** The archiver has not been heard for a minute. */
  'ArchiverAway',
] as const;
export type ArchiveState = (typeof archiveStates)[number];

/** Who reads the log for an archiver: itself, in the data file or in the member of etcd beside the engine, or the engine, at a cost. */
export const archiveReads = ['DataFile', 'Member', 'Engine'] as const;
export type ArchiveReads = (typeof archiveReads)[number];

const count = z.number().int().nonnegative();
/** Nanoseconds since 1970, decimal. */
const nanoseconds = z.string().regex(/^\d{1,20}$/);

/** A part of the archived log without a break. */
const logRun = z.object({ firstOp: count, lastOp: count, lastTimestamp: nanoseconds });
export type LogRun = z.infer<typeof logRun>;

/** Maximum number of earlier runs in a report: the newest ones. */
export const EARLIER_RUNS_MAX = 16;

export const archiveReportSchema = z.object({
  state: z.enum(archiveStates),
  /** The store's words, or what to do. */
  message: z.string().max(1_000).optional(),
  /** The last op in the bucket, and its timestamp. */
  archivedOp: count.optional(),
  archivedTimestamp: nanoseconds.optional(),
  /** First op that is left of the unbroken run of operations that ends with it. */
  chainFirstOp: count.optional(),
  /** The runs before that one that are left, oldest first. */
  earlierRuns: z.array(logRun).max(EARLIER_RUNS_MAX).optional(),
  /** Breaks in the log since archiving began. */
  gaps: count,
  /** Bytes that wait beside the engine for the store. */
  spoolBytes: count,
  /** Duration of the last write to the store. */
  putSeconds: z.number().nonnegative().optional(),
  /** Writes to the store since the archiver began: segments, their bytes, and the time that they took. */
  sent: z.object({ segments: count, bytes: count, seconds: z.number().nonnegative() }).optional(),
  /** Time within which an operation is to be in the bucket. */
  rpoSeconds: z.number().positive().optional(),
  /** Writes that failed since the archiver began, by state. */
  failures: z.partialRecord(z.enum(archiveStates), count).optional(),
  /** Whether new segments are encrypted. */
  encrypted: z.boolean().optional(),
  /** Resident memory of the archiver. */
  residentBytes: count.optional(),
  /** Who reads the log; absent until a part of it was read. */
  reads: z.enum(archiveReads).optional(),
  /** Why it is the engine. */
  readsWhy: z.string().max(300).optional(),
});
export type ArchiveReport = z.infer<typeof archiveReportSchema>;

export const archiveStatusSchema = archiveReportSchema.extend({
  /** Whether this replica's log is the one that is archived. */
  leads: z.boolean(),
  /** Age of the oldest operation that the archive does not have; 0 when it has all. */
  lagSeconds: z.number().nonnegative(),
});
export type ArchiveStatus = Readonly<z.infer<typeof archiveStatusSchema>>;
