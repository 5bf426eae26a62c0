/**
 * Headers of every answer. An answer is data: a browser must not run it, frame it or guess its type. The referrer goes to our own
 * origin only. It must not be `no-referrer`: browsers would then send `Origin: null` with our forms, which the CSRF check
 * refuses.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Value of Strict-Transport-Security if the service is reached by https only. */
export const strictTransport = 'max-age=31536000; includeSubDomains';
