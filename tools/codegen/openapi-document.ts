/** Generates from the API's route table: its OpenAPI document, the types of its client, and the page about its problems. */
import { readFileSync } from 'node:fs';
import { documentDefaults } from '../../api/contract/document-defaults.ts';
import { openapiDocument } from '../../api/contract/document.ts';
import { problemCodes, problems } from '../../api/model/problems.ts';
import type { Generator } from './generator.ts';
import { typesOfDocument } from './openapi/types.ts';

export const openapi: Generator = async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const document = openapiDocument({ version, ...documentDefaults });
  return {
    'gen/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'gen/api.ts': `// Generated from api/contract/ by \`make gen\`. Not to be edited.\n${await typesOfDocument(document)}`,
    'docs/reference/problems.md': problemsPage(),
  };
};

function problemsPage(): string {
  const sections = problemCodes.map((code) => {
    const { status, title, advice, retryable } = problems[code];
    const again = retryable ? ' The same request may succeed later.' : '';
    return `## \`${code}\`\n\n${status}: ${title}. ${advice}${again}\n`;
  });
  return `<!-- Generated from api/model/problems.ts by \`make gen\`. Not to be edited. -->

# Problems

The HTTP API answers failed requests with \`application/problem+json\` (RFC 9457). \`code\` is for programs and never
changes, \`detail\` says what is wrong this time.

${sections.join('\n')}`;
}
