/** Generates the snippets that the API serves from the pages in docs/connect, so that no image has to hold them. */
import { readFile } from 'node:fs/promises';
import { connectionLanguages } from '../../api/model/connection-check.ts';
import type { Generator } from './generator.ts';

interface Snippet {
  readonly title: string;
  readonly notes: string;
  readonly install: string | null;
  readonly file: { readonly name: string; readonly content: string } | null;
  readonly run: string;
}

export const snippets: Generator = async () => {
  const rows = await Promise.all(
    connectionLanguages.map(async (language) => {
      const page = await readFile(`docs/connect/${language}.md`, 'utf8');
      return [language, snippetIn(language, page)] as const;
    }),
  );
  const text = JSON.stringify(Object.fromEntries(rows), undefined, 2);
  return {
    'gen/snippets.ts': `// Generated from docs/connect by \`make gen\`. Not to be edited.\nexport const snippets = ${text} as const;\n`,
  };
};

/** A page has a title, notes, and fenced blocks named `install`, `run`, or like a file. */
function snippetIn(language: string, page: string): Snippet {
  const [, title, rest = ''] = /^# (.+)\n([^]*)$/.exec(page) ?? [];
  const blocks = new Map(
    [...rest.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)].map(([, name = '', content = '']) => [
      name,
      content,
    ]),
  );
  const run = blocks.get('run');
  if (title === undefined || run === undefined) {
    throw new Error(`docs/connect/${language}.md lacks its title or its block "run"`);
  }
  const [file] = [...blocks].filter(([name]) => name !== 'install' && name !== 'run');
  const notes = rest.slice(0, rest.indexOf('```')).trim();
  return {
    title,
    notes: notes.replaceAll(/\s*(Install|Save as `[^`]*`|Run):$/g, ''),
    install: blocks.get('install') ?? null,
    file: file === undefined ? null : { name: file[0], content: file[1] },
    run,
  };
}
