/** Amounts in micros, millionths of a currency's unit: an hour of the cheapest database is exact to four digits. */
const microsOfUnit = 1_000_000n;
const hoursOfMonth = 730n;

/** Micros of a price, which is a decimal with two places. */
export const microsOf = (decimal: string): bigint => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * microsOfUnit + BigInt(fraction.padEnd(6, '0').slice(0, 6));
};

/** Decimal with two places, rounded to the nearest. */
export function decimalOf(micros: bigint): string {
  const cents = (micros + 5_000n) / 10_000n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** Decimal with six places: exact. */
export const exactDecimalOf = (micros: bigint): string =>
  `${micros / microsOfUnit}.${String(micros % microsOfUnit).padStart(6, '0')}`;

/** Price for `seconds` of use, given a price per month of 730 hours. */
export const shareOf = (monthlyMicros: bigint, seconds: number): bigint => {
  const month = hoursOfMonth * 3_600n;
  return (monthlyMicros * BigInt(seconds) + month / 2n) / month;
};

interface Month {
  readonly start: Date;
  readonly end: Date;
}

/** The month, in UTC. */
export const monthOf = (at: Date): Month => ({
  start: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
  end: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)),
});
