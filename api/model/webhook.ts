/** Definitions of webhooks that store, contract and sender share. */
export const deliveryStatuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const attemptTriggers = ['SCHEDULED', 'MANUAL'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/**
 * `BLOCKED_ADDRESS`: the host name resolves to an address to which the installation sends nothing. `SECRET_UNREADABLE`: nothing was sent, because
 * no signing key of this service opens the endpoint's secret.
 */
export const attemptOutcomes = [
  'SUCCESS',
  'HTTP_ERROR',
  'TIMEOUT',
  'CONNECTION_ERROR',
  'REDIRECT_REFUSED',
  'BLOCKED_ADDRESS',
  'SECRET_UNREADABLE',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** One attempt to deliver, as stored. */
export interface AttemptRecord {
  readonly outcome: AttemptOutcome;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly statusCode: number | null;
  /** Reason for people, when there was no good answer. */
  readonly error: string | null;
  /** The first bytes of the answer. */
  readonly responseExcerpt: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Number of days for which attempts, deliveries and their events are kept. */
export const deliveriesKeptDays = 30;
