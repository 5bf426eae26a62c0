/**
 * Reads expressions of PromQL, as far as the chart's alerts and dashboards use it. A function that is not in the list, or anything else
 * that Prometheus would refuse, is an error, so that none passes unread. Variables of Grafana may stand in strings and for a range.
 * Prometheus' own `promtool` would be another program to build from source.
 */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string' }
  | Selector
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Expression[] }
  | Aggregate
  | Binary;

export interface Selector {
  readonly kind: 'selector';
  readonly name: string;
  readonly matchers: readonly {
    readonly label: string;
    readonly sign: string;
    readonly value: string;
  }[];
  /** Whether it asks for a range of time. */
  readonly range: boolean;
}

export interface Aggregate {
  readonly kind: 'aggregate';
  readonly name: string;
  readonly by: readonly string[] | undefined;
  readonly given: readonly Expression[];
}

export interface Binary {
  readonly kind: 'binary';
  readonly sign: string;
  readonly left: Expression;
  readonly right: Expression;
  readonly matching: Matching | undefined;
}

export interface Matching {
  readonly word: 'on' | 'ignoring';
  readonly labels: readonly string[];
  readonly group: 'group_left' | 'group_right' | undefined;
  /** Labels that the group adds. */
  readonly added: readonly string[];
}

/** Number of what is given to each. */
const aggregators: Readonly<Record<string, number>> = {
  sum: 1,
  min: 1,
  max: 1,
  avg: 1,
  count: 1,
  topk: 2,
};
const functions: Readonly<Record<string, number>> = {
  rate: 1,
  increase: 1,
  histogram_quantile: 2,
  time: 0,
  vector: 1,
  absent: 1,
};
const ofRanges = ['rate', 'increase'];
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

export function parse(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const whole = parser.expression(0);
  parser.end();
  return whole;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Error(`${this.#next()} is too much`);
  }

  expression(least: number): Expression {
    let left = this.#operand();
    for (;;) {
      const sign = this.#tokens[this.#at] ?? '';
      const binds = strength[sign];
      if (binds === undefined || binds <= least) return left;
      this.#at += 1;
      const matching = this.#matching();
      left = { kind: 'binary', sign, left, matching, right: this.expression(binds) };
    }
  }

  #matching(): Matching | undefined {
    const word = this.#takes('on') ? 'on' : this.#takes('ignoring') ? 'ignoring' : undefined;
    if (word === undefined) return undefined;
    const labels = this.#names();
    const group = (['group_left', 'group_right'] as const).find((one) => this.#takes(one));
    return { word, labels, group, added: group === undefined ? [] : this.#names() };
  }

  #operand(): Expression {
    const word = this.#next();
    if (/^\d/.test(word)) return { kind: 'number', value: Number(word) };
    if (word.startsWith('"')) return { kind: 'string' };
    if (word === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    const aggregated = aggregators[word];
    if (aggregated !== undefined) {
      const by = this.#takes('by') ? this.#names() : undefined;
      return { kind: 'aggregate', name: word, by, given: this.#given(aggregated) };
    }
    const wanted = functions[word];
    if (wanted === undefined) return this.#selector(word);
    return { kind: 'call', name: word, given: this.#given(wanted, ofRanges.includes(word)) };
  }

  #given(count: number, areRanges = false): readonly Expression[] {
    const all: Expression[] = [];
    this.#expect('(');
    for (let index = 0; index < count; index += 1) {
      if (index > 0) this.#expect(',');
      const one = this.expression(0);
      const isRange = one.kind === 'selector' && one.range;
      if (isRange !== areRanges) throw new Error(areRanges ? 'a range is missing' : 'a range');
      all.push(one);
    }
    this.#expect(')');
    return all;
  }

  #selector(name: string): Selector {
    if (!/^[a-z_:][\w:]*$/i.test(name)) throw new Error(`${name} is no metric`);
    const matchers: Selector['matchers'][number][] = [];
    if (this.#takes('{')) {
      while (!this.#takes('}')) {
        const label = this.#next();
        const sign = this.#next();
        const value = this.#next();
        if (!['=', '!=', '=~', '!~'].includes(sign)) throw new Error('no matcher');
        if (!value.startsWith('"')) throw new Error('no string');
        matchers.push({ label, sign, value: value.slice(1, -1) });
        this.#takes(',');
      }
    }
    const range = this.#tokens[this.#at]?.startsWith('[') === true;
    if (range) this.#at += 1;
    return { kind: 'selector', name, matchers, range };
  }

  #names(): readonly string[] {
    const names: string[] = [];
    this.#expect('(');
    while (!this.#takes(')')) {
      const name = this.#next();
      if (!/^[a-z_]\w*$/i.test(name)) throw new Error(`${name} is no label`);
      names.push(name);
      this.#takes(',');
    }
    return names;
  }

  #next(): string {
    const word = this.#tokens[this.#at];
    if (word === undefined) throw new Error('it ends too early');
    this.#at += 1;
    return word;
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at] !== word) return false;
    this.#at += 1;
    return true;
  }

  #expect(word: string): void {
    const found = this.#next();
    if (found !== word) throw new Error(`${word} is wanted, not ${found}`);
  }
}

const token =
  /\s*(?:(?<string>"(?:[^"\\]|\\.)*")|(?<range>\[(?:\d+[smhdw]|\$__rate_interval|\$__interval)\])|(?<number>\d+(?:\.\d+)?(?![a-z\d]))|(?<name>[A-Za-z_:][A-Za-z0-9_:]*)|(?<sign>==|!=|>=|<=|=~|!~|[-+*/<>=(){},]))/y;

function tokensOf(text: string): readonly string[] {
  const words: string[] = [];
  const pattern = new RegExp(token);
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw new Error(`not understood: ${text.slice(at)}`);
    words.push(found[0].trim());
  }
  return words;
}
