import type { Handler } from '../command.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { ApiRequest } from '../http/request.ts';
import { lineEnded } from '../output/output.ts';
import { givenPayload } from '../payload-source.ts';

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Idempotent methods (RFC 9110, 9.2.2): a repetition has no further effect. */
const repeatable: ReadonlySet<string> = new Set([...reads, 'PUT', 'DELETE']);

export const api: Handler = async (context, input) => {
  const method = input.argument(0).toUpperCase();
  if (!/^[A-Z]{3,10}$/.test(method))
    throw usageFailure(`"${input.argument(0)}" is not an HTTP method`);
  const body = await givenPayload(input, context.output, []);
  if (body !== undefined && reads.has(method)) throw usageFailure(`${method} takes no payload`);
  const request: ApiRequest = {
    method,
    path: pathOf(input.argument(1)),
    ...(body === undefined ? {} : { body }),
    accept: '*/*',
    repeatable: repeatable.has(method),
    writes: !reads.has(method),
    anonymous: true,
  };
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const answer = await exchange.send(request);
  if (answer.body.length > 0) context.output.result(lineEnded(answer.text));
  return ExitCode.Ok;
};

/** The path is always appended to the base URL, so that the key goes nowhere else. */
function pathOf(text: string): string {
  if (/^[a-z]+:/i.test(text) || text.startsWith('//')) {
    throw usageFailure(
      `"${text}" is not a path`,
      'give only the path; --base-url selects the service',
    );
  }
  // A URL has no other meaning of such a segment: it would lead out of the base URL.
  const [segments = ''] = text.split(/[?#]/);
  if (segments.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw usageFailure(`"${text}" has a segment of dots alone`, 'give the path without it');
  }
  const path = text.startsWith('/') ? text : `/${text}`;
  return path.startsWith('/api/') ? path : `/api/v1${path}`;
}
