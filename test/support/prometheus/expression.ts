/** What an expression of PromQL asks for: its metrics, and the labels by which it chooses and groups. */
import { parse, type Binary, type Expression } from './promql.ts';

export interface Asked {
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels of `by`, `on`, `group_left` and `group_right`. */
  readonly grouping: readonly string[];
  /** Labels that the result has; undefined: those of its metrics. */
  readonly result: readonly string[] | undefined;
}

/** Throws if Prometheus would refuse it. */
export const readExpression = (text: string): Asked => askedBy(parse(text));

const nothing: Asked = { metrics: [], grouping: [], result: [] };

function askedBy(expression: Expression): Asked {
  switch (expression.kind) {
    case 'number':
    case 'string':
      return nothing;
    case 'selector': {
      const { name, matchers } = expression;
      const metric = { name, labels: matchers.map(({ label }) => label) };
      return { metrics: [metric], grouping: [], result: undefined };
    }
    case 'aggregate': {
      const { name, by, given } = expression;
      const inner = together(given);
      const kept = name === 'topk' ? inner.result : [];
      return { ...inner, grouping: [...(by ?? []), ...inner.grouping], result: by ?? kept };
    }
    case 'call': {
      const inner = together(expression.given);
      return { ...inner, result: resultOf(expression.name, inner.result) };
    }
    case 'binary':
    default:
      return ofBoth(expression);
  }
}

/** What all ask for, and the labels of the last one. */
function together(given: readonly Expression[]): Asked {
  const all = given.map(askedBy);
  return {
    metrics: all.flatMap(({ metrics }) => metrics),
    grouping: all.flatMap(({ grouping }) => grouping),
    result: all.length === 0 ? [] : all.at(-1)?.result,
  };
}

function resultOf(name: string, inner: Asked['result']): Asked['result'] {
  if (name === 'histogram_quantile') return inner?.filter((label) => label !== 'le');
  return name === 'vector' ? [] : inner;
}

function ofBoth({ sign, left, right, matching }: Binary): Asked {
  const [one, other] = [askedBy(left), askedBy(right)];
  const grouped = matching === undefined ? [] : [...matching.labels, ...matching.added];
  const either =
    sign === 'or' && one.result !== undefined && other.result !== undefined
      ? [...one.result, ...other.result]
      : one.result;
  return {
    metrics: [...one.metrics, ...other.metrics],
    grouping: [...one.grouping, ...grouped, ...other.grouping],
    result: matching?.group === 'group_right' ? other.result : either,
  };
}
