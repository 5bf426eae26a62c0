/**
 * Reads an expression of PromQL by its grammar, and returns the metrics that it asks for, with the labels by which it chooses and groups.
 * A function that is not in the list, or anything else that Prometheus would refuse, is an error. Variables of Grafana may stand in strings
 * and for a range.
 */
export interface Asked {
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels of `by`, `on`, `group_left` and `group_right`. */
  readonly grouping: readonly string[];
  /** Labels that the result has; undefined: those of its metrics. */
  readonly result: readonly string[] | undefined;
}

const token =
  /\s*(?:(?<string>"(?:[^"\\]|\\.)*")|(?<range>\[(?:\d+[smhdw]|\$__rate_interval|\$__interval)\])|(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_:][A-Za-z0-9_:]*)|(?<sign>==|!=|>=|<=|=~|!~|[-+*/<>=(){},]))/y;

const aggregators = ['sum', 'min', 'max', 'avg', 'count', 'topk'];
const functions: Readonly<Record<string, number>> = {
  rate: 1,
  increase: 1,
  histogram_quantile: 2,
  time: 0,
  vector: 1,
  absent: 1,
};
const ofRanges = ['rate', 'increase'];
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

export function readExpression(text: string): Asked {
  const reader = new Reader(text);
  const result = reader.expression(0);
  reader.end();
  return { metrics: reader.metrics, grouping: reader.grouping, result };
}

type Labels = readonly string[] | undefined;

class Reader {
  readonly metrics: { name: string; labels: string[] }[] = [];
  readonly grouping: string[] = [];
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Error(`${this.#next()} is too much`);
  }

  expression(least: number): Labels {
    let left = this.#operand();
    for (;;) {
      const operator = this.#tokens[this.#at] ?? '';
      const binds = strength[operator];
      if (binds === undefined || binds <= least) return left;
      this.#at += 1;
      const isRight = this.#matching();
      const right = this.expression(binds);
      if (isRight) left = right;
      else if (operator === 'or' && left !== undefined && right !== undefined) {
        left = [...left, ...right];
      }
    }
  }

  /** Returns whether the labels are those of the right side. */
  #matching(): boolean {
    if (!this.#takes('on') && !this.#takes('ignoring')) return false;
    this.grouping.push(...this.#names());
    const isRight = this.#takes('group_right');
    if (isRight || this.#takes('group_left')) this.grouping.push(...this.#names());
    return isRight;
  }

  #operand(): Labels {
    const word = this.#next();
    if (/^[\d"]/.test(word)) return [];
    if (word === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    if (aggregators.includes(word)) return this.#aggregate(word);
    if (word in functions) return this.#call(word);
    this.#selector(word);
    return undefined;
  }

  #aggregate(name: string): Labels {
    const by = this.#takes('by') ? this.#names() : undefined;
    this.grouping.push(...(by ?? []));
    const inner = this.#arguments(name === 'topk' ? 2 : 1).at(-1);
    return by ?? (name === 'topk' ? inner : []);
  }

  #call(name: string): Labels {
    const inner = this.#arguments(functions[name] ?? 0, ofRanges.includes(name)).at(-1);
    if (name === 'histogram_quantile') return inner?.filter((label) => label !== 'le');
    return name === 'vector' || name === 'time' ? [] : inner;
  }

  #arguments(count: number, areRanges = false): readonly Labels[] {
    const all: Labels[] = [];
    this.#expect('(');
    for (let index = 0; index < count; index += 1) {
      if (index > 0) this.#expect(',');
      all.push(this.expression(0));
      const hasRange = this.#tokens[this.#at]?.startsWith('[') === true;
      if (hasRange !== areRanges) throw new Error(areRanges ? 'a range is missing' : 'a range');
      if (hasRange) this.#at += 1;
    }
    this.#expect(')');
    return all;
  }

  #selector(name: string): void {
    if (!/^[a-z]\w*$/i.test(name)) throw new Error(`${name} is no metric`);
    const labels: string[] = [];
    if (this.#takes('{')) {
      while (!this.#takes('}')) {
        labels.push(this.#next());
        if (!['=', '!=', '=~', '!~'].includes(this.#next())) throw new Error('no matcher');
        if (!this.#next().startsWith('"')) throw new Error('no string');
        this.#takes(',');
      }
    }
    this.metrics.push({ name, labels });
  }

  #names(): readonly string[] {
    const names: string[] = [];
    this.#expect('(');
    while (!this.#takes(')')) {
      names.push(this.#next());
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
