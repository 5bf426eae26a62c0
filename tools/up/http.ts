interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly timeoutMs?: number;
}

/** Returns the answer of a successful call; otherwise throws an error with the problem's text. */
export async function call<T>(
  baseUrl: string,
  { method = 'GET', path, headers, body, timeoutMs = 15_000 }: Call,
): Promise<T> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.text();
  if (!answer.ok) {
    let detail = text;
    try {
      detail = (JSON.parse(text) as { detail?: string }).detail ?? text;
    } catch {
      // Not a problem of the API: something between here and the API answered.
    }
    throw new Error(`${method} ${path}: ${answer.status}: ${detail.slice(0, 500)}`);
  }
  return JSON.parse(text) as T;
}
