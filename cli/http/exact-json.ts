/**
 * Parses JSON and keeps integers exact: one that a double cannot hold becomes a string, as the API writes such integers anyway.
 */
export function parseExact(text: string): unknown {
  return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(source ?? '')
      ? source
      : value,
  );
}

/** Without fraction and exponent: a double is exact enough for other figures. */
const integer = /^-?\d+$/;

/** ECMAScript's "JSON.parse source text access", which TypeScript's library does not have yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;
