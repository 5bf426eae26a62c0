import { newTypeId } from '../../domain/type-id.ts';

/** Returns the client's request ID if it is valid; otherwise a new one. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : newTypeId('req');
