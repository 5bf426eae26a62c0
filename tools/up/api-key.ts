/** Makes a key for all databases of the service's first organization over HTTP with the bootstrap token, as an installer would. */
import { loadCredentials, saveCredentials, type Credentials } from './credentials.ts';
import { call } from './http.ts';

export async function makeApiKey({
  baseUrl,
  bootstrapToken,
  file,
}: {
  readonly baseUrl: string;
  readonly bootstrapToken: string;
  readonly file: string;
}): Promise<Credentials> {
  const before = loadCredentials(file);
  if (before !== undefined && before.baseUrl === baseUrl && (await works(before))) return before;
  const session = await openSession(baseUrl, bootstrapToken);
  // The organization that the service has from its start, which browsers meet first.
  const { organization } = await call<{ organization: { id: string } }>(baseUrl, {
    path: '/api/v1/session',
    headers: session,
  });
  const { secret } = await call<{ secret: string }>(baseUrl, {
    method: 'POST',
    path: '/api/v1/api-keys',
    headers: { ...session, 'x-organization-id': organization.id },
    body: { name: 'make up', permissions: ['db:read', 'db:write'], expiresAt: null },
  });
  const credentials: Credentials = { baseUrl, organizationId: organization.id, apiKey: secret };
  saveCredentials(file, credentials);
  return credentials;
}

async function works({ baseUrl, apiKey }: Credentials): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/api/v1/session`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(10_000),
  });
  return answer.ok;
}

/** Headers of the administrator whom the token created. */
export async function openSession(baseUrl: string, token: string): Promise<Record<string, string>> {
  const answer = await fetch(`${baseUrl}/api/v1/session/administrator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`the administrator's session: ${await answer.text()}`);
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  return { cookie, 'x-csrf-token': csrfToken };
}
