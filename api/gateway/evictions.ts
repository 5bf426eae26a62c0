/** Why a cluster ends a session, as far as it makes a difference. */
import { EvictionReason } from '../../engine/wire/header.ts';

/** No session of this client will do. */
export const isOfRelease = (reason: EvictionReason): boolean =>
  reason === EvictionReason.clientReleaseTooLow || reason === EvictionReason.clientReleaseTooHigh;

/** This session is of no more use; another one is. */
export const isOfSession = (reason: EvictionReason): boolean =>
  reason === EvictionReason.noSession ||
  reason === EvictionReason.sessionTooLow ||
  reason === EvictionReason.sessionReleaseMismatch;
