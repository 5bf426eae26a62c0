/** Streams of people who lose access: API and worker, a real PostgreSQL and a real identity provider. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addMember } from '../../../api/store/members.ts';
import { findOrganization } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import { ensureUser } from '../../../api/store/users.ts';
import type { Role } from '../../../api/model/access.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { makeDatabase, makeJob, patient, silent, tester } from '../../support/api/store.ts';

let service: PeopleService;
let store: Store;
let administrator: Browser;
let organizationId: string;
let path: string;

beforeAll(async () => {
  service = await PeopleService.start();
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  administrator = await service.administrator();
  const { json } = await service.ask(administrator, '/organizations', {
    method: 'POST',
    body: { slug: 'house', name: 'House' },
  });
  organizationId = json.organization.id;
  const organization = await findOrganization(store.read, organizationId);
  if (organization === undefined) throw new Error('it is not there');
  const { id: databaseId } = await makeDatabase(store, organization, 'payments');
  const job = await makeJob(store, organization, { databaseId, timeoutMs: 3_600_000 });
  path = `/jobs/${job.id}/events`;
});
afterAll(async () => {
  await store?.close();
  await service?.stop();
});

const asOwner = (method: string, what: string, body?: object) =>
  service.ask(administrator, what, {
    method,
    ...(body && { body }),
    headers: { 'x-organization-id': organizationId },
  });

interface Member {
  readonly browser: Browser;
  readonly membershipId: string;
}

async function member(name: string, role: Role): Promise<Member> {
  const browser = await service.signIn({ sub: name, name, email: `${name}@example.com` });
  const { id } = await store.change(tester, async (change) => {
    const user = await ensureUser(change, {
      issuer: service.provider.issuer,
      subject: name,
      name,
      email: `${name}@example.com`,
      emailVerified: false,
    });
    const made = await addMember(change, { organizationId, user, role, databaseIds: null });
    if (made === undefined) throw new Error(`${name} is a member already`);
    return made;
  });
  return { browser, membershipId: id };
}

/** Opens a stream and waits for its first event. */
async function openStream({ browser }: Member) {
  const leaving = new AbortController();
  const cookies = [...browser.cookiesOf(service.url)].map(([name, value]) => `${name}=${value}`);
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    headers: { cookie: cookies.join('; '), 'x-organization-id': organizationId },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  const ended = (async () => {
    while (!(await reader.read()).done);
    return 'ended';
  })().catch(() => 'cut off');
  return { ended, leave: () => leaving.abort() };
}

test('a person who is removed, gets another role, or signs out loses an open stream at its next check; others keep theirs', async () => {
  // One after the other, because the provider signs in whom it was told last.
  const removed = await member('removed', 'developer');
  const demoted = await member('demoted', 'developer');
  const signedOut = await member('signed-out', 'developer');
  const kept = await member('kept', 'developer');
  const all = [removed, demoted, signedOut, kept];
  const streams = [];
  for (const one of all) streams.push(await openStream(one));
  const left = await Promise.all([
    asOwner('DELETE', `/members/${removed.membershipId}`),
    asOwner('PATCH', `/members/${demoted.membershipId}`, { role: 'viewer' }),
    service.ask(signedOut.browser, '/session', { method: 'DELETE' }),
  ]);
  for (const { status } of left) expect([200, 204]).toContain(status);
  const ends = await Promise.all(streams.slice(0, 3).map(({ ended }) => ended));
  expect(ends).toEqual(['ended', 'ended', 'ended']);
  const still = await Promise.race([streams[3]?.ended, Promise.resolve('open')]);
  expect(still).toBe('open');
  streams[3]?.leave();
  const headers = { 'x-organization-id': organizationId };
  const again = await Promise.all(
    all.map(({ browser }) => service.ask(browser, path.replace('/events', ''), { headers })),
  );
  expect(again.map(({ status }) => status)).toEqual([404, 200, 401, 200]);
});
