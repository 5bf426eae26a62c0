/** Kubernetes' quantities (`1Gi`, `1024Mi`, `500m`, `1e3`), compared by value rather than by form. */
const factors: Readonly<Record<string, [number: bigint, divisor: bigint]>> = {
  n: [1n, 1_000_000_000n],
  u: [1n, 1_000_000n],
  m: [1n, 1_000n],
  '': [1n, 1n],
  k: [10n ** 3n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [1n << 10n, 1n],
  Mi: [1n << 20n, 1n],
  Gi: [1n << 30n, 1n],
  Ti: [1n << 40n, 1n],
  Pi: [1n << 50n, 1n],
  Ei: [1n << 60n, 1n],
};

/** Value in billionths, the smallest unit that Kubernetes keeps; `undefined` for an invalid quantity. */
export function nanosOf(quantity: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent, unit = ''] =
    /^([+-]?)(\d{1,30})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2})|([A-Za-z]{0,2}))$/.exec(quantity) ??
    [];
  const factor = factors[unit];
  if (whole === '' || factor === undefined) return undefined;
  const power = Number(exponent ?? 0);
  const digits = BigInt(whole + fraction) * factor[0] * 10n ** BigInt(9 + Math.max(power, 0));
  const divisor = factor[1] * 10n ** BigInt(fraction.length + Math.max(-power, 0));
  const size = digits / divisor;
  return sign === '-' ? -size : size;
}

export const sameQuantity = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [left, right] = [nanosOf(a), nanosOf(b)];
  return left !== undefined && left === right;
};
