/** Sizes that the protocol fixes, in bytes. */
export const headerSize = 256;
export const messageSizeMax = 1_048_576;
export const bodySizeMax = messageSizeMax - headerSize;

/** Maximum size of a request's body from a client: in production the whole message, less with `--development`. */
export const batchSizeLimitProduction = bodySizeMax;
export const batchSizeLimitDevelopment = 32 * 1024 - headerSize;

export const sessionsMax = 64;
export const replicasMax = 6;
