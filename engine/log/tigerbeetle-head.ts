/** The head of a TigerBeetle data file, with its checksums computed. */
import {
  readTigerBeetleHead as readHead,
  type TigerBeetleHead,
} from '../../domain/import-files/tigerbeetle-head.ts';
import { checksumMatches } from '../wire/checksum.ts';

/** Reads the head in a file's first bytes. Returns `undefined` if no two copies agree. */
export const readTigerBeetleHead = (head: Uint8Array): TigerBeetleHead | undefined =>
  readHead(head, checksumMatches);
