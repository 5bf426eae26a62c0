/**
 * The rules of the ledger have a number: what its operations mean. Rules 1 are those of the first release. Replicas move to
 * other rules by an entry of the log (operation `upgrade`), so that all of them execute each operation by the same ones.
 */
import type { LogEntry } from '../log/log.ts';
import { Header, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';

export const FIRST_RULES = 1;

/** Body of an `upgrade` entry, and the section of a checkpoint: u32, little-endian. */
export function encodeRules(rules: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, rules, true);
  return bytes;
}

/** The number in such bytes. A body of another length is of rules that nobody knows here: Infinity. */
export function decodeRules(bytes: Uint8Array): number {
  if (bytes.length !== 4) return Infinity;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** The rules that an entry moves the replicas to; undefined when it is another operation. */
export function rulesOf({ message }: LogEntry): number | undefined {
  const { operation } = new RequestHeader(new Header(message));
  return operation === Operation.upgrade ? decodeRules(message.subarray(headerSize)) : undefined;
}

/** Why a replica cannot go on, and what to do about it. */
export const unknownRules = (rules: number, rulesMax: number): string =>
  `The log goes on by rules ${rules} of the ledger, and this release knows rules up to ${rulesMax}. Start this replica with the release that the others run, or a newer one.`;
