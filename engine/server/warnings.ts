/** Warnings in an engine's `/status`, derived from usage and shortages. */
import { EngineWarning, isNear, type Usage } from '../../domain/engine-status.ts';
import type { Shortage, StateMachine } from '../ledger/state-machine.ts';
import { fullBatch } from '../replica/served-replica.ts';
import { Operation } from '../wire/operations.ts';

interface Findings {
  readonly halted: boolean;
  readonly clockDisagrees: boolean;
  /** Bytes of the data file that are damaged and could not be mended. */
  readonly damagedBytes: number;
  /** The log refuses creates because storage is at its limit. */
  readonly logFull: boolean;
  /** The resource that the ledger lacks to execute the largest request. */
  readonly shortage: Shortage | undefined;
  readonly memory: Usage;
  readonly storage: Usage;
}

export function warningsOf(findings: Findings): EngineWarning[] {
  const { halted, clockDisagrees, damagedBytes, logFull, shortage, memory, storage } = findings;
  return [
    ...(halted ? [EngineWarning.halted] : []),
    ...(clockDisagrees ? [EngineWarning.clockDisagrees] : []),
    ...(damagedBytes > 0 ? [EngineWarning.dataDamaged] : []),
    ...storageWarnings(logFull, storage),
    ...(shortage === 'numbers' ? [EngineWarning.recordsAtLimit] : []),
    ...memoryWarnings(shortage, memory),
  ];
}

/** Returns the resource that the ledger lacks to execute the largest request. */
export const shortageOf = (ledger: StateMachine): Shortage | undefined =>
  ledger.shortage(Operation.createTransfersUnbatched, fullBatch);

function storageWarnings(logFull: boolean, storage: Usage): EngineWarning[] {
  if (logFull) return [EngineWarning.storageFull];
  return storage.limitBytes > 0 && isNear(storage) ? [EngineWarning.storageNearLimit] : [];
}

function memoryWarnings(shortage: Shortage | undefined, memory: Usage): EngineWarning[] {
  if (shortage === 'memory') return [EngineWarning.memoryAtLimit];
  return isNear(memory) ? [EngineWarning.memoryNearLimit] : [];
}
