const factors: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes of a Kubernetes quantity such as `10Gi`. Throws if it is not a quantity. */
export function bytesOf(quantity: string): number {
  const match = /^(\d+(?:\.\d+)?)([kMGT]i?|Ki)?$/.exec(quantity);
  const factor = factors[match?.[2] ?? ''];
  if (match === null || factor === undefined)
    throw new RangeError(`"${quantity}" is no quantity of bytes`);
  return Math.ceil(Number(match[1]) * factor);
}
