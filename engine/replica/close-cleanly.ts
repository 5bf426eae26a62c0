/** Brings the checkpoint of a single replica that was killed up to its log, as a start and a stop would. */
import { systemClock } from '../../base/clock.ts';
import { systemTimers } from '../../base/timers.ts';
import { FileLog } from '../log/file-log.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { containerMemory } from '../../base/container-memory.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { engineRelease } from '../wire/release.ts';
import { newLedger } from './new-ledger.ts';
import { Replica } from './replica.ts';

/** Rejects with DataFileError, or the error of the checkpoint. */
export async function closeCleanly(path: string): Promise<void> {
  let failure: unknown;
  const failed = (error: unknown): void => {
    failure ??= error;
  };
  const log = await FileLog.open({ path, release: engineRelease, onFailure: failed });
  const replica = new Replica({
    log,
    // The limit is for clients' writes; there are none here. Rows leave memory when it gets short.
    ledger: newLedger(Number.MAX_SAFE_INTEGER, {
      rowsLeaveAtBytes: ledgerMemoryLimit(containerMemory()) / 2,
    }),
    clock: systemClock,
    timers: systemTimers,
    batchSizeLimit: batchSizeLimitProduction,
    onCheckpointError: failed,
    onReadError: failed,
    onFatal: failed,
  });
  try {
    await replica.recover();
  } catch (error) {
    await log.close();
    throw error;
  }
  await replica.stop();
  if (failure !== undefined) throw failure;
}
