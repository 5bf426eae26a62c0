/** The state of the page, kept in its address. */
import type { ConnectionSnippet } from '../../../../gen/api.ts';

type Language = ConnectionSnippet['language'];

export const languages = [
  ['node', 'Node.js'],
  ['go', 'Go'],
  ['java', 'Java'],
  ['dotnet', '.NET'],
  ['python', 'Python'],
  ['rust', 'Rust'],
  ['curl', 'curl'],
  ['cli', 'CLI'],
] as const satisfies readonly (readonly [Language, string])[];

interface ConnectSearch {
  readonly language?: Language;
}

export function readConnectSearch(search: Record<string, unknown>): ConnectSearch {
  const known = languages.find(([language]) => language === search['language']);
  return known === undefined ? {} : { language: known[0] };
}
