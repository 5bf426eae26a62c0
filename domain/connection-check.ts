/** Upper 16 bits of the IDs of the accounts that connection checks look up. No other ID of an account begins like these, except by intent. */
export const checkIdMagic = 0x1ed6;

/** `id` is a u128. */
export const looksLikeCheckId = (id: bigint): boolean => id >> 112n === BigInt(checkIdMagic);
