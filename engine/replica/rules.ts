/**
 * The rules of the ledger: a number that defines the meaning of its operations. Rules 1 are those of the first release. An
 * entry of the log (operation `upgrade`) moves the replicas to other rules, so that all of them execute each operation by
 * the same rules.
 */
import type { LogEntry } from '../log/log.ts';
import { Header, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';

export const FIRST_RULES = 1;

/** Encodes the body of an `upgrade` entry, which is also the section of a checkpoint: u32, little-endian. */
export function encodeRules(rules: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, rules, true);
  return bytes;
}

/** Decodes such bytes. Returns Infinity for another length, which only unknown rules can have. */
export function decodeRules(bytes: Uint8Array): number {
  if (bytes.length !== 4) return Infinity;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** Returns the rules to which an entry moves the replicas, or `undefined` for another operation. */
export function rulesOf({ message }: LogEntry): number | undefined {
  const { operation } = new RequestHeader(new Header(message));
  return operation === Operation.upgrade ? decodeRules(message.subarray(headerSize)) : undefined;
}

/** Returns the message for a replica that cannot continue, with advice. */
export const unknownRules = (rules: number, rulesMax: number): string =>
  `The log uses rules ${rules} of the ledger, and this release knows rules up to ${rulesMax}. Start this replica with the release that the others run, or a newer one.`;
