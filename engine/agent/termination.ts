/** Reports the agent's refusals to the operator: an exit status, and a line of JSON as the container's termination message. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { isRefusal } from '../commands/command-line.ts';
import { UsageError, type Flag, type Input } from '../commands/verb.ts';
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
  help: `file for the reason of a refusal, written only if it exists; ${defaultPath} by default`,
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
    tell(path, finding.reason, finding.message);
    return exitStatus[finding.reason];
  } catch (error) {
    // Other errors, such as a disk that cannot be read, are reported too, but in a form that no reader can take for a finding.
    if (isRefusal(error) && !(error instanceof UsageError)) tell(path, 'Failed', error.message);
    throw error;
  }
}

function tell(path: string, reason: string, message: string): void {
  try {
    // Never creates the file: outside a container there is none, and nobody would read it.
    const file = openSync(path, constants.O_WRONLY | constants.O_TRUNC);
    writeSync(file, JSON.stringify({ reason, message: message.slice(0, messageLengthMax) }));
    closeSync(file);
  } catch {
    // The exit status and the log report it as well.
  }
}
