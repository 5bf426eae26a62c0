/** Creates an organization and a key for all of its databases over HTTP with the bootstrap token, as an installer would. */
import { loadCredentials, saveCredentials, type Credentials } from './credentials.ts';
import { call } from './http.ts';
import type { Kubectl } from './kubectl.ts';

const slug = 'local';

export async function openOrganization({
  baseUrl,
  kubectl,
  file,
}: {
  readonly baseUrl: string;
  readonly kubectl: Kubectl;
  readonly file: string;
}): Promise<Credentials> {
  const before = loadCredentials(file);
  if (before !== undefined && before.baseUrl === baseUrl && (await works(before))) return before;
  const session = await openSession(
    baseUrl,
    await kubectl.secret('ledgerhouse-bootstrap-token', 'token'),
  );
  const organizationId = await organization(baseUrl, session);
  const { secret } = await call<{ secret: string }>(baseUrl, {
    method: 'POST',
    path: '/api/v1/api-keys',
    headers: { ...session, 'x-organization-id': organizationId },
    body: { name: 'make up', permissions: ['db:read', 'db:write'], expiresAt: null },
  });
  const credentials: Credentials = { baseUrl, organizationId, apiKey: secret };
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

async function openSession(baseUrl: string, token: string): Promise<Record<string, string>> {
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

async function organization(baseUrl: string, session: Record<string, string>): Promise<string> {
  const { data } = await call<{ data: { id: string; slug: string }[] }>(baseUrl, {
    path: '/api/v1/organizations?limit=100',
    headers: session,
  });
  const found = data.find((row) => row.slug === slug);
  if (found !== undefined) return found.id;
  const made = await call<{ organization: { id: string } }>(baseUrl, {
    method: 'POST',
    path: '/api/v1/organizations',
    headers: session,
    body: { name: 'This machine', slug },
  });
  return made.organization.id;
}
