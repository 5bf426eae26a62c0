/** Reads the report that a trial has put beside the files, and makes reports of trials that could not be made. */
import { z } from 'zod';
import { jsonOf } from '../../base/json.ts';
import { rowsReportKey } from '../../domain/import-files/staged-key.ts';
import { REPORTED_MAX } from '../../domain/import-files/row-faults.ts';
import type { RowsReport } from '../model/rows-import.ts';
import type { StagingStore } from './staging-store.ts';

const count = z.int().nonnegative();

/** The report in the form that the engine writes (engine/commands/rows/try-rows.ts). */
const reportSchema = z.object({
  release: z.string().max(32),
  accounts: count,
  transfers: count,
  faultCount: count,
  faults: z
    .array(
      z.object({
        file: z.enum(['accounts', 'transfers']),
        line: count,
        field: z.string().max(64).optional(),
        code: z.string().max(64),
        detail: z.string().max(2_000),
      }),
    )
    .max(REPORTED_MAX),
  state: z.string().max(64).optional(),
});

/** A hundred faults have a fifth of it. */
const reportBytesMax = 2 ** 18;

/** `undefined`: there is none, or it is not one. */
export async function readReport(
  staging: StagingStore,
  importId: string,
  signal: AbortSignal,
): Promise<RowsReport | undefined> {
  const bytes = await staging.readStart(rowsReportKey(importId), reportBytesMax, signal);
  const read = reportSchema.safeParse(jsonOf(Buffer.from(bytes ?? []).toString('utf8')));
  if (!read.success) return undefined;
  const { faults, state = null, ...counts } = read.data;
  return {
    ...counts,
    state,
    faults: faults.map(({ field, ...fault }) => ({
      ...fault,
      ...(field !== undefined && { field }),
    })),
  };
}

/** The report of a trial that could not be made. */
export const failedTrial = (detail: string): RowsReport => ({
  release: null,
  accounts: 0,
  transfers: 0,
  faultCount: 1,
  faults: [{ file: null, line: 0, code: 'trial_failed', detail }],
  state: null,
});
