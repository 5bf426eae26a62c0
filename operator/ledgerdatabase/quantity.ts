/** Kubernetes' quantities of storage, in whole GiB. */
const factors: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** Rounded down: a volume of 19.9 GiB does not have 20. `undefined` for what is no quantity. */
export function gigabytesOf(quantity: string | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(quantity ?? '') ?? [];
  const factor = factors[unit];
  if (number === undefined || factor === undefined) return undefined;
  return Math.floor((Number(number) * factor) / 2 ** 30);
}
