/**
 * As much of PromQL as the chart's alerts use, judged at one moment: selectors, numbers, `time()`, `max`, `min`, `sum by`, `absent`,
 * `increase`, arithmetic, comparisons, `and`, `or` and `unless`, with `on (…)`. Anything else is refused, so that no alert passes
 * unread. Prometheus' own `promtool` would be another program to build from source.
 */
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
  const parser = new Parser(tokensOf(expression), world);
  const value = parser.expression(0);
  parser.end();
  if (typeof value === 'number') throw new TypeError(`${expression} is a number, not rows`);
  return value;
}

const tokenPattern =
  /\s*(?:(?<string>"[^"]*")|(?<number>\d+(?:\.\d+)?(?![a-z\d]))|(?<duration>\d+[smhd])|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<sign>==|!=|>=|<=|=~|[-+*/<>=(){}[\],]))/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(tokenPattern);
  let at = 0;
  while (text.slice(at).trim() !== '') {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw new TypeError(`not understood: ${text.slice(at)}`);
    tokens.push(found[0].trim());
    at = pattern.lastIndex;
  }
  return tokens;
}

/** Precedence of the binary operators. */
const strength: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
};

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

class Parser {
  readonly #tokens: readonly string[];
  readonly #world: World;
  #at = 0;

  constructor(tokens: readonly string[], world: World) {
    this.#tokens = tokens;
    this.#world = world;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new TypeError(`not understood: ${this.#next()}`);
  }

  expression(least: number): Value {
    let left = this.#operand();
    for (;;) {
      const operator = this.#tokens[this.#at] ?? '';
      const binds = strength[operator];
      if (binds === undefined || binds <= least) return left;
      this.#at += 1;
      const on = this.#takes('on') ? this.#names() : undefined;
      left = combined(operator, left, this.expression(binds), on);
    }
  }

  #operand(): Value {
    const token = this.#next();
    if (token === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    if (/^\d/.test(token)) return Number(token);
    if (token === 'time') {
      this.#expect('(');
      this.#expect(')');
      return this.#world.nowSeconds;
    }
    if (token === 'increase') return this.#increase();
    if (token === 'max' || token === 'min' || token === 'sum') return this.#aggregate(token);
    if (token === 'absent') {
      const rows = this.#argument();
      return rows.length === 0 ? [{ labels: {}, value: 1 }] : [];
    }
    return this.#selector(token).map(({ labels, value }) => ({ labels, value }));
  }

  #argument(): readonly Row[] {
    this.#expect('(');
    const inner = this.expression(0);
    this.#expect(')');
    if (typeof inner === 'number') throw new TypeError('rows are wanted here');
    return inner;
  }

  #aggregate(name: 'max' | 'min' | 'sum'): readonly Row[] {
    const by = this.#takes('by') ? this.#names() : [];
    const groups = new Map<string, { labels: Labels; values: number[] }>();
    for (const row of this.#argument()) {
      const labels = picked(row.labels, by);
      const key = JSON.stringify(labels);
      const group = groups.get(key) ?? { labels, values: [] };
      group.values.push(row.value);
      groups.set(key, group);
    }
    const fold = {
      max: (values: number[]) => Math.max(...values),
      min: (values: number[]) => Math.min(...values),
      sum: (values: number[]) => values.reduce((a, b) => a + b, 0),
    }[name];
    return [...groups.values()].map(({ labels, values }) => ({ labels, value: fold(values) }));
  }

  #increase(): readonly Row[] {
    this.#expect('(');
    const series = this.#selector(this.#next());
    this.#expect('[');
    this.#next();
    this.#expect(']');
    this.#expect(')');
    return series.map(({ labels, increase = 0 }) => ({ labels, value: increase }));
  }

  #selector(name: string): readonly Series[] {
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`not understood: ${name}`);
    const wanted: [string, string][] = [];
    if (this.#takes('{')) {
      while (!this.#takes('}')) {
        const label = this.#next();
        this.#expect('=');
        wanted.push([label, this.#next().slice(1, -1)]);
        this.#takes(',');
      }
    }
    return this.#world.series.filter(
      (one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value),
    );
  }

  #names(): readonly string[] {
    this.#expect('(');
    const names: string[] = [];
    while (!this.#takes(')')) {
      names.push(this.#next());
      this.#takes(',');
    }
    return names;
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new TypeError('it ends too early');
    this.#at += 1;
    return token;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    const found = this.#next();
    if (found !== token) throw new TypeError(`${token} is wanted, not ${found}`);
  }
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
