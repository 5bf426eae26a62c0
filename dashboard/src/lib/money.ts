/** Money of the price list: decimals as text, shown by `Intl`, which takes text exactly. */
interface Money {
  readonly currency: string;
  readonly amount: string;
}

export function shownMoney({ currency, amount }: Money): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** `1 GiB`, `512 MiB`. */
export function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${units[unit]}`;
}
