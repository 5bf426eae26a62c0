/** Kinds of reasons for which a cluster evicts a session, as far as the gateway distinguishes them. */
import { EvictionReason } from '../../engine/wire/header.ts';

/** The cluster refuses this client's release, so none of its sessions will work. */
export const isOfRelease = (reason: EvictionReason): boolean =>
  reason === EvictionReason.clientReleaseTooLow || reason === EvictionReason.clientReleaseTooHigh;

/** Only this session has ended; a new one will work. */
export const isOfSession = (reason: EvictionReason): boolean =>
  reason === EvictionReason.noSession ||
  reason === EvictionReason.sessionTooLow ||
  reason === EvictionReason.sessionReleaseMismatch;
