/** Headers of answers, as the document describes them. */
const header = (
  description: string,
  schema: Readonly<Record<string, unknown>> = { type: 'string' },
) => ({
  description,
  schema,
});

export const headers = {
  'X-Request-Id': header('Names this request in our logs; yours, where you sent a fitting one.'),
  ETag: header('Changes whenever the answer does.'),
  Location: header('Where it is.'),
  Link: header('The job, with rel="monitor".'),
  'Retry-After': header('Seconds.', { type: 'integer', minimum: 0 }),
  'RateLimit-Policy': header(
    'How much a caller may take, as `"control";q=600;w=60`: so many requests in so many seconds (draft-ietf-httpapi-ratelimit-headers).',
  ),
  RateLimit: header(
    'What is left of that, as `"control";r=599;t=60`: so many requests, and seconds until there are more.',
  ),
  'Idempotent-Replayed': header(
    '`true` where this is the answer of the first request with this Idempotency-Key.',
  ),
  Accept: header('Types that a body may have.'),
  'Accept-Encoding': header('How a body may be compressed.'),
  'Set-Cookie': header('The session, or that there is none any more.'),
  'Server-Timing': header('Milliseconds in the ledger and in the gateway.'),
  'Page-Has-More': header('`true` or `false`, where the answer is CSV: whether more rows follow.'),
  'Page-Next': header(
    'The filter with which the next rows come, as JSON, where the answer is CSV.',
  ),
  'Next-Cursor': header('Where the next page begins; absent after the last one.'),
  'WWW-Authenticate': header('Bearer.'),
} as const;
