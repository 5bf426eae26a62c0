/** The resolved parameters as flags of the engine, in a fixed order. */
export const parameterFlags = (parameters: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, flag]) => flag);
