/**
 * Reports to the operator by a line of JSON as the container's termination message: a refusal, which has an exit status too, or
 * the state of a data file.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { UsageError, type Flag, type Input } from '../commands/verb.ts';
import { ledgerStateText, type LedgerState } from '../../domain/import-files/ledger-state.ts';
import { certificatesForeign, DataProblem, type AgentFinding } from '../../domain/data-problem.ts';
import type { Finding } from './examine.ts';

const exitStatus: Readonly<Record<AgentFinding, number>> = {
  [DataProblem.missing]: 10,
  [DataProblem.foreign]: 11,
  [DataProblem.damaged]: 12,
  [DataProblem.memberMissing]: 13,
  [certificatesForeign]: 14,
};

/** File from which Kubernetes reads a container's termination message; it keeps 4 KiB. */
const defaultPath = '/dev/termination-log';
const messageLengthMax = 1_000;

export const terminationFlag: Flag = {
  name: 'termination-log',
  value: 'file',
  help: `file for the reason of a refusal or the result, written only if it exists; ${defaultPath} by default`,
};

/** Runs `work`, reports its finding if there is one, and returns the exit status: 0, or the finding's. */
export async function reportingFinding(
  input: Input,
  work: () => Promise<Finding | undefined>,
): Promise<number> {
  const path = input.flag(terminationFlag.name) ?? defaultPath;
  try {
    const finding = await work();
    if (finding === undefined) return 0;
    process.stderr.write(`ledger-agent: ${finding.message}\n`);
    tellRefusal(path, finding.reason, finding.message);
    return exitStatus[finding.reason];
  } catch (error) {
    // Other errors, such as a disk that cannot be read, are reported too, but in a form that no reader can take for a finding.
    const { isRefusal } = await import('../commands/refusals.ts');
    if (isRefusal(error) && !(error instanceof UsageError))
      tellRefusal(path, 'Failed', error.message);
    throw error;
  }
}

/** Reports the state with which the data file begins. */
export function tellState(input: Input, state: LedgerState): void {
  const path = input.flag(terminationFlag.name) ?? defaultPath;
  write(path, { state: ledgerStateText(state) });
}

const tellRefusal = (path: string, reason: string, message: string): void =>
  write(path, { reason, message: message.slice(0, messageLengthMax) });

function write(path: string, words: object): void {
  try {
    // Never creates the file: outside a container there is none, and nobody would read it.
    const file = openSync(path, constants.O_WRONLY | constants.O_TRUNC);
    writeSync(file, JSON.stringify(words));
    closeSync(file);
  } catch {
    // The exit status and the log report it as well.
  }
}
