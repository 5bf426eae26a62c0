/** A complete answer of the API. */
import { CliFailure } from '../failure.ts';
import { ExitCode } from '../exit-code.ts';
import { printable } from '../output/printable.ts';
import { parseExact } from './exact-json.ts';

export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;

  constructor(status: number, headers: Headers, body: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  get text(): string {
    return Buffer.from(this.body.buffer, this.body.byteOffset, this.body.length).toString('utf8');
  }

  /** The body as a document. A body that is not a JSON object is not from the API. */
  document(): Readonly<Record<string, unknown>> {
    let value: unknown;
    try {
      value = parseExact(this.text);
    } catch {
      // Reported below.
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw notTheApi(this.status, 'no JSON object');
    }
    if (Object.keys(value).length === 0) throw notTheApi(this.status, 'an empty JSON object');
    return value as Readonly<Record<string, unknown>>;
  }
}

/** Throws if the answer has another media type than the request asks for. */
export function requireType({ status, headers }: Answer, wanted: string): void {
  const type = headers.get('content-type') ?? 'nothing';
  if (!type.startsWith(wanted)) throw notTheApi(status, `${printable(type)}, not ${wanted}`);
}

export const notTheApi = (status: number, what: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.General,
    code: 'unexpected_answer',
    title: 'The answer is not from the API',
    detail: `the service answered ${status} with ${what}`,
    nextSteps: [
      'check that the base URL is a Ledgerhouse API; --verbose shows each request and answer',
    ],
  });
