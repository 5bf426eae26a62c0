/** The table of a comparison in turns. */

export interface Turn {
  readonly turn: number;
  readonly isOurs: boolean;
  /** Values by the name of the figure, which says the unit. */
  readonly figures: ReadonlyMap<string, number>;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
};

/** Prints each figure of both, and their ratio in the same turn: median, least and greatest. */
export function printRatios(turns: readonly Turn[]): void {
  const pairs = turns
    .filter(({ isOurs }) => isOurs)
    .flatMap((here) => {
      const there = turns.find(({ turn, isOurs }) => !isOurs && turn === here.turn);
      return there === undefined ? [] : [{ here: here.figures, there: there.figures }];
    });
  const columns = (...[what, here, there, ratio]: readonly string[]): string =>
    `${what?.padEnd(42)}${here?.padStart(14)}${there?.padStart(14)}   ${ratio}`;
  console.log(`\n${columns('', 'here', 'TigerBeetle', 'ratio (of each turn)')}`);
  for (const what of pairs[0]?.here.keys() ?? []) {
    const here = pairs.map((pair) => pair.here.get(what) ?? Number.NaN);
    const there = pairs.map((pair) => pair.there.get(what) ?? Number.NaN);
    const ratios = here.map((value, pair) => value / (there[pair] ?? Number.NaN));
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    const shown = (values: readonly number[]): string =>
      median(values).toLocaleString('en', { maximumFractionDigits: 2 });
    console.log(
      columns(what, shown(here), shown(there), `${median(ratios).toFixed(2)} (${range})`),
    );
  }
}
