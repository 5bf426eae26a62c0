/** Databases of TigerBeetle that begin with a backup: a program that is their first client fills them. */
import type { DatabaseStatus } from './custom-resources.ts';

/** Whether the database has all data with which it begins. */
export const hasBegun = (status: DatabaseStatus | undefined): boolean =>
  status?.bootstrapped === true && status.filled !== false;
