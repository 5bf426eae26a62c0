/**
 * Headers of every answer. An answer is data: a browser must not run, frame or guess at it. The referrer goes to our own origin
 * only. It must not be `no-referrer`: with that, browsers send `Origin: null` with our own forms, and the CSRF check refuses them.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Value of Strict-Transport-Security where the service is reached by https only. */
export const strictTransport = 'max-age=31536000; includeSubDomains';
