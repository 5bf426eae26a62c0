/** An HTML page without a script. Its style is a separate file, because the content security policy forbids inline styles. */

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** `body` is HTML; `stylesheet` is the path of the page's style. */
export const page = (title: string, body: string, stylesheet = '/docs/reference.css'): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)} · Ledgerhouse</title><link rel="stylesheet" href="${stylesheet}"></head><body>${body}</body></html>`;
