/** `ROTATING`: it works beside its replacement for a while. */
export const apiKeyStatuses = ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];
