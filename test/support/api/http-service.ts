/** The HTTP API as a client in another language would use it: JSON over fetch, nothing of ours between. */
interface Answered<T> {
  readonly status: number;
  readonly body: T;
}

interface Request {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpService {
  readonly #baseUrl: string;
  readonly #key: string;

  constructor({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) {
    this.#baseUrl = baseUrl;
    this.#key = apiKey;
  }

  /** Sends a request. Throws only if there is no answer. */
  async send<T>(path: string, request: Request = {}): Promise<Answered<T>> {
    const { method = 'GET', body, headers } = request;
    const answer = await fetch(`${this.#baseUrl}/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': this.#key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) as T };
  }

  /** Sends a request that must succeed. Returns the answer's body. */
  async ask<T>(path: string, request: Request = {}): Promise<T> {
    const { status, body } = await this.send<T>(path, request);
    if (status >= 300) {
      throw new Error(`${request.method ?? 'GET'} ${path}: ${status}: ${JSON.stringify(body)}`);
    }
    return body;
  }
}
