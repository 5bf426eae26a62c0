/** Fills the snippets of docs/connect with a database and an account. */
import { snippets } from '../../gen/snippets.ts';
import type { ConnectionLanguage } from '../model/connection-check.ts';

interface SnippetValues {
  readonly database: string;
  readonly databaseId: string;
  /** Empty: not known; the snippet then names the variable. */
  readonly baseUrl: string;
  readonly accountId: string;
}

interface FilledSnippet {
  readonly language: ConnectionLanguage;
  readonly title: string;
  readonly notes: string;
  readonly install: string | null;
  readonly file: { readonly name: string; readonly content: string } | null;
  readonly run: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function snippetFor(language: ConnectionLanguage, values: SnippetValues): FilledSnippet {
  const { title, notes, install, file, run } = snippets[language];
  const fill = (text: string) => filled(text, values);
  return {
    language,
    title,
    notes,
    install: install === null ? null : fill(install),
    file: file === null ? null : { name: file.name, content: fill(file.content) },
    run: fill(run),
    environment: values.baseUrl === '' ? {} : { LEDGERHOUSE_BASE_URL: values.baseUrl },
  };
}

function filled(text: string, { database, databaseId, baseUrl, accountId }: SnippetValues): string {
  return text
    .replaceAll('{{databaseId}}', databaseId)
    .replaceAll('{{database}}', database)
    .replaceAll('{{baseUrl}}', baseUrl === '' ? '$LEDGERHOUSE_BASE_URL' : baseUrl)
    .replaceAll('{{accountId}}', accountId);
}
