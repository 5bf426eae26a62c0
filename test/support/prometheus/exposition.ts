/**
 * A strict reader of Prometheus' text format (0.0.4): it throws at the first line that Prometheus, or `promtool check metrics`, would
 * refuse or complain about. A metric has one HELP and one TYPE before its samples, which stand together; no series comes twice; buckets
 * of histograms ascend and end with +Inf, whose count is that of the histogram.
 */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';
  readonly help: string;
  readonly series: readonly Series[];
}

interface Open {
  name: string;
  help?: string;
  type?: Family['type'];
  series: Series[];
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'] as const;
const suffixes: Readonly<Partial<Record<Family['type'], readonly string[]>>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Returns the metrics by name. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  let open: Open | undefined;
  const close = () => {
    if (open === undefined) return;
    families.set(open.name, checked(open));
    open = undefined;
  };
  const enter = (name: string): Open => {
    if (open?.name === name) return open;
    close();
    if (families.has(name)) throw new Error(`${name} stands in two places`);
    if (!namePattern.test(name)) throw new Error(`${name} is no name of a metric`);
    open = { name, series: [] };
    return open;
  };
  for (const [index, line] of text.split('\n').entries()) {
    try {
      if (line === '') continue;
      const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
      if (kind !== undefined) declare(enter(name), kind, rest);
      else if (!line.startsWith('#')) addSample(open, sampleOf(line));
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}: ${line}`, { cause: error });
    }
  }
  close();
  return families;
}

function declare(open: Open, kind: string, rest: string): void {
  if (open.series.length > 0) throw new Error(`${kind} comes after samples`);
  if (kind === 'HELP') {
    if (open.help !== undefined) throw new Error('a second HELP');
    if (rest.replaceAll(/\\[\\n]/g, '').includes('\\')) throw new Error('a wrong escape');
    open.help = rest;
    return;
  }
  if (open.type !== undefined) throw new Error('a second TYPE');
  const type = types.find((known) => known === rest);
  if (type === undefined) throw new Error('an unknown type');
  open.type = type;
}

function addSample(open: Open | undefined, series: Series): void {
  if (open === undefined) throw new Error('a sample without HELP and TYPE');
  const { type = 'untyped' } = open;
  const names = (suffixes[type] ?? ['']).map((suffix) => open.name + suffix);
  if (!names.includes(series.name)) throw new Error(`a sample of another metric than ${open.name}`);
  open.series.push(series);
}

const sampleLine = /^([^\s{]+)(?:\{(.*)\})? (\S+)(?: (-?\d+))?$/;
const special: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  '+Inf': Infinity,
  '-Inf': -Infinity,
};

function sampleOf(line: string): Series {
  const [, name = '', inBraces = '', number = ''] = sampleLine.exec(line) ?? [];
  if (!namePattern.test(name)) throw new Error('no sample');
  const value = special[number] ?? Number(number);
  if (number === '' || (Number.isNaN(value) && number !== 'NaN')) throw new Error('no value');
  return { name, labels: labelsOf(inBraces), value };
}

const pair = /([^=,{}"\s]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

function labelsOf(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  pair.lastIndex = 0;
  while (pair.lastIndex < text.length) {
    const [, name = '', value = ''] = pair.exec(text) ?? [];
    if (!labelPattern.test(name) || name.startsWith('__')) throw new Error('labels that are none');
    if (name in labels) throw new Error(`the label ${name} comes twice`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }
  return labels;
}

function checked({ name, help, type, series }: Open): Family {
  if (help === undefined || help === '') throw new Error(`${name} has no HELP`);
  if (type === undefined) throw new Error(`${name} has no TYPE`);
  if (type === 'counter' && !name.endsWith('_total'))
    throw new Error(`${name} ends without _total`);
  if (type !== 'counter' && name.endsWith('_total')) throw new Error(`${name} is no counter`);
  const keys = new Set<string>();
  for (const one of series) {
    checkSeries(one, type);
    const key = keyOf(one);
    if (keys.has(key)) throw new Error(`${key} comes twice`);
    keys.add(key);
  }
  if (type === 'histogram') checkHistogram(name, series);
  return { name, type, help, series };
}

const keyOf = ({ name, labels }: Series): string => `${name} ${labelsKey(labels)}`;

const labelsKey = (labels: Series['labels']): string =>
  JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));

function checkSeries({ name, labels, value }: Series, type: Family['type']): void {
  if (type === 'counter' && !(value >= 0)) throw new Error(`${name} counts ${value}`);
  if (type !== 'histogram' && 'le' in labels) throw new Error(`${name} is no histogram and has le`);
  if (type !== 'summary' && 'quantile' in labels) {
    throw new Error(`${name} is no summary and has quantile`);
  }
}

function checkHistogram(name: string, series: readonly Series[]): void {
  const rows = Map.groupBy(series, ({ labels }) => labelsKey({ ...labels, le: '' }));
  for (const [key, own] of rows) {
    const wrong = (what: string) => new Error(`${name} ${key}: ${what}`);
    const buckets = own.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => special[le] ?? Number(le));
    if (bounds.some((bound) => Number.isNaN(bound))) throw wrong('a bucket without a bound');
    if (bounds.at(-1) !== Infinity) throw wrong('the last bucket is not +Inf');
    for (const [index, bucket] of buckets.entries()) {
      const before = buckets[index - 1];
      if (before === undefined) continue;
      if ((bounds[index] ?? 0) <= (bounds[index - 1] ?? 0)) throw wrong('bounds do not ascend');
      if (bucket.value < before.value) throw wrong('buckets do not hold those below them');
    }
    const one = (suffix: string) => own.filter((row) => row.name === name + suffix);
    const [count, ...others] = one('_count');
    if (count === undefined || others.length > 0) throw wrong('not one _count');
    if (one('_sum').length !== 1) throw wrong('not one _sum');
    if (count.value !== buckets.at(-1)?.value) throw wrong('_count is not that of +Inf');
  }
}
