import { newTypeId } from '../../domain/type-id.ts';

/** The client's own, where it could be one; else a new one. */
export const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && /^[A-Za-z0-9_-]{8,64}$/.test(sent) ? sent : newTypeId('req');
