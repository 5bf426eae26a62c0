/** Headers of answers, as the document describes them. */
const header = (
  description: string,
  schema: Readonly<Record<string, unknown>> = { type: 'string' },
) => ({
  description,
  schema,
});

export const headers = {
  'X-Request-Id': header('ID of this request in our logs; your own if you sent a valid one.'),
  ETag: header('Changes whenever the representation changes.'),
  Location: header('Path of the new resource.'),
  Link: header('The job, with rel="monitor".'),
  'Retry-After': header('Seconds.', { type: 'integer', minimum: 0 }),
  'RateLimit-Policy': header(
    'Rate limit of the caller, as `"control";q=600;w=60`: q requests in w seconds (draft-ietf-httpapi-ratelimit-headers). Each process of the service counts separately and reports its own count, so several together admit a multiple.',
  ),
  RateLimit: header(
    'Rest of the rate limit, as `"control";r=599;t=60`: r requests, and t seconds until there are more.',
  ),
  'Idempotent-Replayed': header(
    '`true` if this is the stored answer of the first request with this Idempotency-Key.',
  ),
  Accept: header('Types that a body may have.'),
  'Accept-Encoding': header('Encodings that a body may have.'),
  Upgrade: header('Protocol that a request here must ask for.'),
  'Set-Cookie': header('Sets or deletes the cookie of the session.'),
  'Server-Timing': header('Time spent in the ledger and in the gateway, in milliseconds.'),
  'Page-Has-More': header('`true` or `false`, where the answer is CSV: whether more rows follow.'),
  'Page-Next': header(
    'The filter with which the next rows come, as JSON, where the answer is CSV.',
  ),
  'Next-Cursor': header('Cursor of the next page; absent after the last one.'),
  'WWW-Authenticate': header('Bearer.'),
} as const;
