/** JSON that a person typed, whose integers may be larger than a `number` holds. */

interface Context {
  readonly source?: string;
}

/**
 * Parses JSON. Integers that a `number` cannot hold become strings of their digits, which the service takes as well. Throws a
 * `SyntaxError` for other text, and an `Error` where the browser does not tell the digits.
 */
export function parseExactly(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: Context): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (context?.source === undefined) {
      throw new Error('This browser would round the integers in the JSON. Write them as strings.');
    }
    return context.source;
  };
  return JSON.parse(text, revive);
}
