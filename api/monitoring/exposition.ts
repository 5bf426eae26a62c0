/** Reads Prometheus' text format (0.0.4). The collector needs only names, labels and values. */

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Maximum number of samples of one answer; the rest is ignored. */
const samplesMax = 5_000;

const line = /^([a-zA-Z_:][\w:]*)(?:\{([^]*)\})? +(\S+)(?: +-?\d+)?$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/**
 * Reads the samples, one after the other, so that none outlives its use. Comments and invalid lines are ignored: any process may
 * answer in a pod.
 */
export function* readExposition(text: string): IterableIterator<ReadSample> {
  let count = 0;
  for (const row of linesOf(text)) {
    if (row === '' || row.startsWith('#')) continue;
    const [, name, inBraces = '', number = ''] = line.exec(row) ?? [];
    const labels = labelsOf(inBraces);
    const value = valueOf(number);
    if (name === undefined || labels === undefined || value === undefined) continue;
    yield { name, labels, value };
    count += 1;
    if (count === samplesMax) return;
  }
}

function* linesOf(text: string): IterableIterator<string> {
  for (let begin = 0; begin < text.length;) {
    const end = text.indexOf('\n', begin);
    yield text.slice(begin, end < 0 ? undefined : end);
    begin = end < 0 ? text.length : end + 1;
  }
}

function labelsOf(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name = '', value = ''] = label.exec(text) ?? [];
    if (name === '') return undefined;
    labels[name] = value.includes('\\') ? unescaped(value) : value;
  }
  return labels;
}

const unescaped = (value: string): string =>
  value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));

const special: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['+inf', Infinity],
  ['inf', Infinity],
  ['-inf', -Infinity],
]);

function valueOf(text: string): number | undefined {
  const word = special.get(text.toLowerCase());
  if (word !== undefined) return word;
  const value = Number(text);
  return text === '' || Number.isNaN(value) ? undefined : value;
}
