/** Headers of every answer. It is data: nothing in it is to be run, framed or guessed at. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Where it is reached by https only. */
export const strictTransport = 'max-age=31536000; includeSubDomains';
