/**
 * An account's last event: the transfer or expiry whose row holds the balances that the account has now, and whether it is closed. In
 * memory it stands in an account's row in place of the wire's reserved field.
 *
 * 0 is an account without events, and 1 one that was created closed: no event can ever be one of its own.
 */
export const NO_EVENT = 0;
export const CREATED_CLOSED = 1;

export const eventOfTransfer = (transfer: number): number => (transfer + 1) * 2;
export const eventOfExpiry = (expiry: number): number => (expiry + 1) * 2 + 1;

export const isEvent = (event: number): boolean => event > CREATED_CLOSED;
export const isExpiry = (event: number): boolean => event % 2 === 1;
/** Returns the row number of an event's transfer or expiry. */
export const rowOfEvent = (event: number): number => Math.floor(event / 2) - 1;
