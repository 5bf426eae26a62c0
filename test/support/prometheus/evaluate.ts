/**
 * Judges an expression of PromQL at one moment: selectors, numbers, `time()`, `max`, `min`, `sum`, `absent`, `increase`, arithmetic,
 * comparisons, `and`, `or` and `unless`, with `on (…)`. Anything else is refused, so that no alert passes unread.
 */
import { parse, type Aggregate, type Binary, type Expression, type Selector } from './promql.ts';

type Labels = Readonly<Record<string, string>>;

/** One series: its value now, and by how much it grew within the range that is asked for. */
export interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  readonly increase?: number;
}

interface World {
  readonly nowSeconds: number;
  readonly series: readonly Series[];
}

interface Row {
  readonly labels: Labels;
  readonly value: number;
}
type Value = number | readonly Row[];

/** Rows that remain: each is one alert. */
export function evaluate(expression: string, world: World): readonly Row[] {
  const value = valueOf(parse(expression), world);
  if (typeof value === 'number') throw new TypeError(`${expression} is a number, not rows`);
  return value;
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const comparison: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

function valueOf(expression: Expression, world: World): Value {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'selector':
      return chosen(expression, world).map(({ labels, value }) => ({ labels, value }));
    case 'aggregate':
      return aggregated(expression, world);
    case 'call':
      return called(expression.name, expression.given, world);
    case 'binary':
      return combinedBy(expression, world);
    case 'string':
    default:
      throw new TypeError('a string is not judged');
  }
}

function chosen({ name, matchers }: Selector, { series }: World): readonly Series[] {
  const other = matchers.find(({ sign }) => sign !== '=');
  if (other !== undefined) throw new TypeError(`${other.sign} is not judged`);
  return series.filter(
    (one) => one.name === name && matchers.every(({ label, value }) => one.labels[label] === value),
  );
}

function rowsOf(expression: Expression | undefined, world: World): readonly Row[] {
  const value = expression === undefined ? 0 : valueOf(expression, world);
  if (typeof value === 'number') throw new TypeError('rows are wanted here');
  return value;
}

function called(name: string, [first]: readonly Expression[], world: World): Value {
  if (name === 'time') return world.nowSeconds;
  if (name === 'absent') {
    return rowsOf(first, world).length === 0 ? [{ labels: {}, value: 1 }] : [];
  }
  if (name !== 'increase' || first?.kind !== 'selector') {
    throw new TypeError(`${name} is not judged`);
  }
  return chosen(first, world).map(({ labels, increase = 0 }) => ({ labels, value: increase }));
}

const folds: Readonly<Record<string, (values: readonly number[]) => number>> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum: (values) => values.reduce((a, b) => a + b, 0),
};

function aggregated({ name, by = [], given }: Aggregate, world: World): readonly Row[] {
  const fold = folds[name];
  if (fold === undefined) throw new TypeError(`${name} is not judged`);
  const groups = Map.groupBy(rowsOf(given[0], world), ({ labels }) =>
    JSON.stringify(picked(labels, by)),
  );
  return [...groups.values()].map((rows) => ({
    labels: picked(rows[0]?.labels ?? {}, by),
    value: fold(rows.map(({ value }) => value)),
  }));
}

function combinedBy({ sign, left, right, matching }: Binary, world: World): Value {
  if (matching?.word === 'ignoring' || matching?.group !== undefined) {
    throw new TypeError('only on (…) is judged');
  }
  return combined(sign, valueOf(left, world), valueOf(right, world), matching?.labels);
}

const picked = (labels: Labels, names: readonly string[]): Labels =>
  Object.fromEntries(names.flatMap((name) => (name in labels ? [[name, labels[name] ?? '']] : [])));

function combined(
  operator: string,
  left: Value,
  right: Value,
  on: readonly string[] | undefined,
): Value {
  const keyOf = ({ labels }: Row) =>
    JSON.stringify(
      Object.entries(on === undefined ? labels : picked(labels, on)).toSorted(([a], [b]) =>
        a < b ? -1 : 1,
      ),
    );
  if (operator === 'and' || operator === 'or' || operator === 'unless') {
    if (typeof left === 'number' || typeof right === 'number') {
      throw new TypeError(`${operator} takes rows on both sides`);
    }
    const there = new Set((operator === 'or' ? left : right).map(keyOf));
    if (operator === 'or') return [...left, ...right.filter((row) => !there.has(keyOf(row)))];
    return left.filter((row) => there.has(keyOf(row)) === (operator === 'and'));
  }
  const compute = arithmetic[operator];
  const compare = comparison[operator];
  const rowOf = (labels: Labels, a: number, b: number, kept: number): readonly Row[] => {
    if (compute !== undefined) return [{ labels, value: compute(a, b) }];
    return compare?.(a, b) === true ? [{ labels, value: kept }] : [];
  };
  if (typeof left === 'number' && typeof right === 'number') {
    if (compute === undefined) throw new TypeError('two numbers are not compared in an alert');
    return compute(left, right);
  }
  if (typeof right === 'number') {
    return (left as readonly Row[]).flatMap(({ labels, value }) =>
      rowOf(labels, value, right, value),
    );
  }
  if (typeof left === 'number') {
    return right.flatMap(({ labels, value }) => rowOf(labels, left, value, value));
  }
  const others = new Map(right.map((row) => [keyOf(row), row.value]));
  return left.flatMap((row) => {
    const other = others.get(keyOf(row));
    return other === undefined ? [] : rowOf(row.labels, row.value, other, row.value);
  });
}
