/** For how long an organization's audit events are kept, in days. The store's schema has the bounds, too. */
export const auditRetention = {
  default: 400,
  min: 90,
  /** Seven years. */
  max: 2_557,
  /** After another retention was chosen, nothing is removed for so many days: time to notice it, and to take it back. */
  settling: 7,
} as const;

/** Path of the setting in the changes of an `organization.changed` event. */
export const auditRetentionPath = '/auditRetentionDays';
