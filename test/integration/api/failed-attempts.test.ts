/** The audit log holds what did not succeed: attempts that were denied, and changes that were refused. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AuditEvent } from '../../../gen/api.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { Store } from '../../../api/store/store.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { patient, silent, tester } from '../../support/api/store.ts';
import { eventually } from '../../support/shell.ts';

let service: PeopleService;
let administrator: Browser;

beforeAll(async () => {
  service = await PeopleService.start();
  administrator = await service.administrator();
});
afterAll(() => service?.stop());

const eventsOf = async (type: string): Promise<readonly AuditEvent[]> =>
  (await service.ask(administrator, `/audit-events?type=${type}`)).json.data;

const createOrganization = (slug: string) =>
  service.ask(administrator, '/organizations', { method: 'POST', body: { name: 'Acme', slug } });

test('a change that is refused is recorded once a minute, with who, what and why', async () => {
  expect((await createOrganization('acme')).status).toBe(201);
  for (let count = 0; count < 5; count += 1) {
    expect((await createOrganization('acme')).json.code).toBe('organization_slug_taken');
  }
  const [event, ...more] = await eventually('the attempt is recorded', async () => {
    const found = await eventsOf('request.failed');
    if (found.length === 0) throw new Error('not yet');
    return found;
  });
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    outcome: 'FAILED',
    actor: { type: 'user', display: 'local administrator' },
    target: { type: 'session' },
    ip: expect.any(String),
    data: { action: 'createOrganization', code: 'organization_slug_taken' },
  });
  // Another operation of the same person is recorded beside it.
  const body = { name: 'ci', permissions: [] };
  const refused = await service.ask(administrator, '/api-keys', { method: 'POST', body });
  expect(refused.status).toBe(422);
  const missing = '/api-keys/key_01jd8f3zk5e0v9t3m2q6r8w4x0';
  expect((await service.ask(administrator, missing, { method: 'DELETE' })).status).toBe(404);
  await eventually('the other attempt is recorded', async () => {
    const actions = (await eventsOf('request.failed')).map(({ data }) => data['action']);
    expect(actions).toEqual(['revokeApiKey', 'createOrganization']);
    return true;
  });
});

test('a read that finds nothing is not recorded', async () => {
  const before = await eventsOf('request.failed');
  await service.ask(administrator, '/api-keys/key_01jd8f3zk5e0v9t3m2q6r8w4x0');
  await service.ask(administrator, '/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0');
  expect(await eventsOf('request.failed')).toEqual(before);
});

test('an export is one answer with all events in their order, however many there are', async () => {
  const cookies = administrator.cookiesOf(service.url);
  const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const url = `${service.url}/api/v1/audit-events/export`;
  const { json } = await service.ask(administrator, '/session');
  const store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  await store.start();
  await store.change(tester, async (change) => {
    for (let index = 0; index < 2_500; index += 1) {
      const subject = { type: 'session', id: null, display: `event ${index}` } as const;
      const organizationId = json.organization.id;
      change.emit({ organizationId, type: 'session.opened', subject, data: {} });
    }
  });
  await store.close();
  const answer = await fetch(url, { headers });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await answer.text()).trimEnd().split('\n');
  const numbers = lines.map((line) => Number((JSON.parse(line) as AuditEvent).sequence));
  expect(numbers.length).toBeGreaterThan(2_500);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const csv = await (await fetch(`${url}?format=csv`, { headers })).text();
  expect(csv.match(/^sequence,id,/gm)).toHaveLength(1);
  expect(csv.trimEnd().split('\r\n').length).toBeGreaterThan(2_500);
  const page = await fetch(`${url}?limit=10&afterSequence=5`, { headers });
  expect((await page.text()).split('\n')).toHaveLength(11);
  expect(page.headers.get('next-cursor')).not.toBeNull();
  // Somebody who reads the beginning only keeps nothing busy.
  const reader = (await fetch(url, { headers })).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect((await fetch(`${url}?limit=1`, { headers })).status).toBe(200);
});
