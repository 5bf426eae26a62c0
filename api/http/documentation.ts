/** Documentation pages, served from our own origin and without a script: the reference, and one page for each problem. */
import type { Express, Response } from 'express';
import { problemCodes, problems } from '../model/problems.ts';
import { escaped, page } from './page.ts';
import { referencePage } from './reference-page.ts';
import { referenceStyle } from './reference-style.ts';
import { Refusal } from '../model/refusal.ts';
import { securityHeaders } from './security-headers.ts';

const pageHeaders = {
  ...securityHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=300',
};

export function addDocumentation(
  app: Express,
  { document }: { readonly document: Readonly<Record<string, unknown>> },
): void {
  const reference = referencePage(document);
  // Browsers request it on every first visit; there is none.
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).set('Cache-Control', 'public, max-age=86400').end();
  });
  app.get('/docs/openapi', (_request, response) => sendPage(response, 'html', reference));
  app.get('/docs/reference.css', (_request, response) => sendPage(response, 'css', referenceStyle));
  app.get('/docs/problems/:name', (request, response) => {
    const code = problemCodes.find((one) => one.replaceAll('_', '-') === request.params.name);
    if (code === undefined) {
      throw new Refusal('not_found', {
        detail: 'The problem does not exist. /docs/problems lists all.',
      });
    }
    const { title, status, advice, retryable } = problems[code];
    const again = retryable ? '<p>The same request may succeed later.</p>' : '';
    const content = `<h1>${escaped(title)}</h1><p><code>${code}</code> · status ${status}</p><p>${escaped(advice)}</p>${again}<p><a href="/docs/problems">All problems</a></p>`;
    sendPage(response, 'html', page(title, `<main>${content}</main>`));
  });
  app.get('/docs/problems', (_request, response) => {
    const rows = problemCodes.map((code) => {
      const { status, title } = problems[code];
      return `<tr><td>${status}</td><td><a href="/docs/problems/${code.replaceAll('_', '-')}"><code>${code}</code></a></td><td>${escaped(title)}</td></tr>`;
    });
    const table = `<h1>Problems</h1><table><tr><th>Status</th><th>Code</th><th>Title</th></tr>${rows.join('')}</table>`;
    sendPage(response, 'html', page('Problems', `<main>${table}</main>`));
  });
}

function sendPage(response: Response, type: 'html' | 'css', text: string): void {
  response.set({ ...pageHeaders, 'Content-Type': `text/${type}; charset=utf-8` });
  response.end(text);
}
