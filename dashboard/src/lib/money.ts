/** Money of the price list: decimals as text, shown by `Intl`, which takes text exactly. */
interface Money {
  readonly currency: string;
  readonly amount: string;
}

export function shownMoney({ currency, amount }: Money): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount as Intl.StringNumericLiteral);
}
