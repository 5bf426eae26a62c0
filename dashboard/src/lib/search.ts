/** The query of an address as text. The router's own way reads digits as numbers, which would round IDs and amounts. */
type SearchText = Readonly<Record<string, string>>;

export const parseSearch = (text: string): SearchText =>
  Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
    if (typeof value === 'boolean' && value) parameters.set(name, '1');
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** A parameter that is one of a few words; others are dropped. */
export const wordOf = <T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((one) => one === value);

/** A parameter that is text; empty text is dropped. */
export const textOf = (value: unknown, max = 300): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, max) : undefined;

/** Leaves out what is undefined. */
export const given = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
