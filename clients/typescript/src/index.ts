/** Exports of the package. */
export { createClient, type Client, type ClientOptions } from './client.ts';
export { Ledger, LedgerhouseError } from './ledger.ts';
export { newId } from './new-id.ts';
export type { Exact, WithBigints } from './exact.ts';
export type * from '../../../gen/api.ts';
