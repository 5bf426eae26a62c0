/** Parts that all sign-in pages share: the frame around the content, redirects, refusals as pages, the form's CSRF field. */
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { BootstrapToken } from '../auth/bootstrap-token.ts';
import { cookieOf, csrfCookie } from '../auth/credentials.ts';
import type { Caller, KeyPrincipal } from '../auth/principal.ts';
import { problems } from '../model/problems.ts';
import { callerOf } from '../http/gate.ts';
import { escaped, page } from '../http/page.ts';
import { refusalOf } from '../http/problem-response.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { Store } from '../store/store.ts';
import { requestIdOf } from './form.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { pageStylePath } from './page-style.ts';

export interface PageOptions {
  readonly store: Store;
  readonly logger: Logger;
  /** `undefined` if no provider is configured; then only the local administrator can sign in. */
  readonly provider: IdentityProvider | undefined;
  readonly bootstrapToken: BootstrapToken;
  /** The service's own origin; `undefined`: take it from the Host header. */
  readonly origin: string | undefined;
}

/** A person who has signed in with a browser. */
export type Person = Exclude<Caller, KeyPrincipal>;
export type PageHandler = (request: Request, response: Response) => Promise<void>;

const pageHeaders = {
  ...securityHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cache-Control': 'no-store, no-transform',
  'Content-Type': 'text/html; charset=utf-8',
};

/** Answers with a page. `title` is text, `content` is HTML. */
export function show(response: Response, title: string, content: string, status = 200): void {
  const main = `<main><h1>${escaped(title)}</h1>${content}</main>`;
  response.status(status).set(pageHeaders);
  response.end(page(title, `<header>Ledgerhouse</header>${main}`, pageStylePath));
}

/** Answers with 303, so that the browser requests `to` with GET. */
export function redirect(response: Response, to: string): void {
  response.status(303).set({ 'Cache-Control': 'no-store', Location: to });
  response.end();
}

/** A refusal is a problem document for programs and a page for people. */
export const shown =
  ({ logger }: Pick<PageOptions, 'logger'>, handler: PageHandler) =>
  async (request: Request, response: Response): Promise<void> => {
    try {
      await handler(request, response);
    } catch (error) {
      const refusal = refusalOf(error);
      const requestId = requestIdOf(response);
      if (refusal?.code.startsWith('sign_in_') || refusal?.code.startsWith('identity_provider_')) {
        const { code, occasion } = refusal;
        logger.warn({ err: occasion.cause, code, requestId }, 'a sign-in did not succeed');
      }
      const isPerson = request.accepts(['json', 'html']) === 'html';
      if (refusal === undefined || !isPerson || problems[refusal.code].status === 500) throw error;
      const { title, status } = problems[refusal.code];
      const content = `<p>${escaped(refusal.occasion.detail)}</p><p><a href="/auth/login">Sign in</a></p><p class="soft"><code>${refusal.code}</code> · request <code>${escaped(requestId)}</code></p>`;
      show(response, title, content, status);
    }
  };

/** The hidden field that proves that a form is ours. */
export const csrfField = (request: Request): string =>
  `<input type="hidden" name="csrf" value="${escaped(cookieOf(request.headers.cookie, csrfCookie) ?? '')}">`;

/** A list of names and values; all of it is text. */
export const facts = (rows: Readonly<Record<string, string>>): string =>
  `<dl>${Object.entries(rows)
    .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
    .join('')}</dl>`;

export const fromOf = (request: Request, response: Response) => {
  const { ip, userAgent } = callerOf(request);
  return { ip, userAgent, requestId: requestIdOf(response) };
};
