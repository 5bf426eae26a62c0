/**
 * Serves the dashboard: one page for all of its paths, and assets that never change. Only the paths below are the dashboard's;
 * everything else is answered as if there were no dashboard.
 */
import type { Express, Request, Response } from 'express';
import { isKnown } from '../http/conditional.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { Refusal } from '../model/refusal.ts';
import type { BuiltFile, BuiltFiles } from './built-files.ts';

/** Paths of the dashboard's pages. The router in `dashboard/src/router.tsx` knows the same ones. */
const dashboardPaths = ['/', '/account', '/organizations', '/organizations/new', '/o/*rest'];

/** Page that people without a dashboard see after signing in. */
const accountPath = '/auth/account';

const offFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
].map((name) => `${name}=()`);

const pageHeaders = {
  ...securityHeaders,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': offFeatures.join(', '),
  'Cache-Control': 'no-cache',
};

const assetHeaders = {
  ...securityHeaders,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** Its name has no hash: it is asked for again each time. */
const firstLoadHeaders = { ...securityHeaders, 'Cache-Control': 'no-cache' };

/** `files` is `undefined` in an installation without a dashboard; `/` then leads to the account page. */
export function serveDashboard(app: Express, files: BuiltFiles | undefined): void {
  if (files === undefined) {
    app.get('/', (_request, response) => {
      response.status(303).set({ 'Cache-Control': 'no-store', Location: accountPath }).end();
    });
    return;
  }
  app.get('/assets/:name', (request, response) => {
    const file = files.assets.get(request.params.name);
    // A missing asset must not become the page: a browser would keep the page as a script.
    if (file === undefined) {
      throw new Refusal('not_found', {
        detail: 'This file belongs to another version of the dashboard.',
      });
    }
    send(request, response.set(assetHeaders), file);
  });
  app.get('/first-load.js', (request, response) => {
    send(request, response.set(firstLoadHeaders), files.firstLoad);
  });
  app.get(dashboardPaths, (request, response) => {
    send(request, response.set(pageHeaders), files.page);
  });
}

function send(request: Request, response: Response, file: BuiltFile): void {
  response.set({ ETag: file.etag, Vary: 'Accept-Encoding' });
  if (isKnown(request.headers['if-none-match'], file.etag)) {
    response.status(304).end();
    return;
  }
  response.set('Content-Type', file.type);
  // Checked one after the other: browsers accept both equally and name gzip first, which would win otherwise.
  if (file.brotli && request.acceptsEncodings('br') !== false) {
    response.set('Content-Encoding', 'br').end(file.brotli);
  } else if (file.gzip && request.acceptsEncodings('gzip') !== false) {
    response.set('Content-Encoding', 'gzip').end(file.gzip);
  } else response.end(file.plain);
}
