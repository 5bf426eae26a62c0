/** Errors of which a program says in one line what is wrong. Loaded when there is one: they come from everywhere. */
import { ArchiveError } from '../archive/errors.ts';
import { DataFileError } from '../log/errors.ts';
import { ReplacementRefused } from '../members/ask-leader.ts';
import { ReplicatedLogError } from '../log/replicated/errors.ts';
import { EtcdError } from '../log/replicated/etcd.ts';
import { SalvageRefused } from '../replica/salvage.ts';
import { RowFileUnfit } from '../rows/row-file-at.ts';
import { MemberMismatch } from '../server/member-mismatch.ts';
import { UsageError } from './verb.ts';

const refusals = [
  UsageError,
  ArchiveError,
  DataFileError,
  MemberMismatch,
  ReplacementRefused,
  SalvageRefused,
  ReplicatedLogError,
  EtcdError,
  RowFileUnfit,
];

/** Errors that are reported in one line without a stack: usage errors, refused data files, and system errors. */
export function isRefusal(error: unknown): error is Error {
  return refusals.some((kind) => error instanceof kind) || isSystemError(error);
}

/** Errors of the system (no such file, no room, no right): the message names the path and the reason. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
