// The dashboard in the hands of hurried people, against fixed answers: sessions that end, rights that go, long files.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { apiKeyExample } from '../../api/contract/schemas/api-key.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { envelopeExample } from '../../api/contract/schemas/ledger.ts';
import { logLineExample } from '../../api/contract/schemas/log-line.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf, type Role } from '../../api/model/access.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { answerFromExample } from '../support/browser/example-ledger.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';

const minuteMs = 60_000;
const wholePage = { limit: 50, nextCursor: null, hasMore: false };
const organizationPath = '/o/acme';
const base = `${organizationPath}/databases/${databaseExample.name}`;

let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  signInAs('owner');
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterEach(() => tab.context.close());

function signInAs(role: Role): void {
  const organization = {
    ...sessionExample.organization,
    slug: 'acme',
    role,
    rights: rightsOf(role),
    namespace: 'org-acme',
  };
  const session = { ...sessionExample, organization, organizations: [organization] };
  service.when('getSession', () => ({ body: session }));
}

const problem = (status: number, code: string) => ({
  type: 'about:blank',
  title: code,
  status,
  detail: `It says ${code}.`,
  instance: '/',
  code,
  requestId: 'req_1',
  retryable: status === 429,
});
const lostAnswer = { lost: true, body: null };
const madeKey = { success: true, apiKey: apiKeyExample, secret: `lhk_${'0'.repeat(51)}` };

/** Fills the form for a new key. Returns its button. */
async function fillKey() {
  const { page } = tab;
  await page.goto(`${service.url}${organizationPath}/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('reports');
  return page.getByRole('button', { name: 'Make key' });
}

test('a session that ends in the middle of a form leaves what was typed, to be sent after signing in', async () => {
  const { page } = tab;
  service.when('createApiKey', () => ({ status: 401, body: problem(401, 'session_expired') }));
  const make = await fillKey();
  await make.click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByRole('link', { name: 'Sign in' }).waitFor();
  await tab.picture('dashboard-session-ended');
  service.when('createApiKey', () => ({ status: 201, body: madeKey }));
  // The person comes back from the other tab. The question may be shown a moment before the page listens for that.
  await eventually('the session is looked at again', async () => {
    await page.evaluate('dispatchEvent(new Event("focus"))');
    return !(await again.isVisible());
  });
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('reports');
  await make.click();
  await page.getByText(madeKey.secret).waitFor();
});

test('a right that was taken away meanwhile is told with the role that has it', async () => {
  const { page } = tab;
  const requiredRoles = ['owner', 'admin'];
  const body = { ...problem(403, 'insufficient_role'), requiredRoles };
  service.when('createApiKey', () => ({ status: 403, body }));
  const make = await fillKey();
  await make.click();
  await page.getByText('It takes the role owner or admin.').waitFor();
});

/** A log of `pagesThere` pages of two lines. Returns how many pages were asked for; `refuse` tells when the rate is exceeded. */
function logOf(pagesThere: number, refuse: (asked: number) => number | undefined) {
  const asked = { pages: 0 };
  service.when('listLogLines', ({ query }) => {
    const { order, cursor = '0' } = query as { readonly order?: string; readonly cursor?: string };
    const at = Number(cursor);
    const data = [1, 2].map((one) => ({ ...logLineExample, id: String(2 * at + one) }));
    const isLast = order !== 'asc' || at + 1 === pagesThere;
    const nextCursor = isLast ? null : String(at + 1);
    const page = { limit: 500, nextCursor, hasMore: !isLast, after: '9999' };
    if (order !== 'asc') return { body: { data, page } };
    asked.pages += 1;
    const wait = refuse(asked.pages);
    if (wait === undefined) return { body: { data, page } };
    const headers = { 'retry-after': String(wait) };
    return { status: 429, headers, body: problem(429, 'rate_limited') };
  });
  return asked;
}

const openLogs = async () => {
  await tab.page.goto(`${service.url}${base}/logs`);
  await tab.page.getByRole('list', { name: 'Lines' }).getByRole('listitem').first().waitFor();
};

test('lines that are saved wait out the rate, and a refusal for longer leaves what was read', async () => {
  const { page } = tab;
  const save = async () => {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save lines' }).click();
    return readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n');
  };
  logOf(4, (asked) => (asked === 3 ? 1 : undefined));
  await openLogs();
  expect(await save()).toHaveLength(8);
  logOf(4, (asked) => (asked === 3 ? 3_000 : undefined));
  expect(await save()).toHaveLength(4);
  await page.getByText('The file has the first 4 lines; there are later ones.').waitFor();
  await page.getByText('Try again in 3000 s.').waitFor();
  // What is said of one choice is not said of the next one.
  await page.getByRole('combobox', { name: 'Severity' }).selectOption('error and above');
  await page.getByText('The file has the first 4 lines').waitFor({ state: 'detached' });
});

test('lines are read no further when the person stops, or leaves the page', async () => {
  const { page } = tab;
  const asked = logOf(1_000, (count) => (count === 2 ? 60 : undefined));
  await page.clock.install();
  await openLogs();
  const begin = async () => {
    asked.pages = 0;
    await page.getByRole('button', { name: 'Save lines' }).click();
    await page.getByText('2 lines read').waitFor();
  };
  await begin();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('2 lines read').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await begin();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Shape' }).waitFor();
  await page.clock.runFor(2 * minuteMs);
  expect(asked.pages).toBe(2);
});

const makers = [
  {
    what: 'key',
    id: 'createApiKey',
    path: 'settings/keys',
    open: 'New key',
    field: 'Name',
    texts: ['reports', 'others'],
    send: 'Make key',
  },
  {
    what: 'endpoint',
    id: 'createWebhookEndpoint',
    path: 'settings/webhooks',
    open: 'New endpoint',
    field: 'URL',
    texts: ['https://a.example.com', 'https://b.example.com'],
    send: 'Make endpoint',
  },
  {
    what: 'invitation',
    id: 'createInvitation',
    path: 'settings/members',
    open: 'Invite somebody',
    field: 'Address',
    texts: ['ada@example.com', 'eve@example.com'],
    send: 'Invite',
  },
] as const;

test.each(makers)('when the answer is lost, a second try makes no second $what', async (one) => {
  const { page } = tab;
  const keys: (string | string[] | undefined)[] = [];
  service.when(one.id, ({ headers }) => {
    keys.push(headers['idempotency-key']);
    return lostAnswer;
  });
  await page.goto(`${service.url}${organizationPath}/${one.path}`);
  await page.getByRole('button', { name: one.open }).click();
  const dialog = page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: one.send, exact: true });
  const sent = async (text: string, count: number) => {
    await dialog.getByRole('textbox', { name: one.field }).fill(text);
    await send.click();
    await eventually('the request has arrived', async () => {
      expect(keys).toHaveLength(count);
      return true;
    });
    await dialog.getByText('No answer').waitFor();
  };
  await sent(one.texts[0], 1);
  await sent(one.texts[0], 2);
  await sent(one.texts[1], 3);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}-[0-9a-f]+$/);
  expect(keys[1]).toBe(keys[0]);
  // With another text it is another intent.
  expect(keys[2]).not.toBe(keys[0]);
});

test('a request that a person makes without a connection is not sent later by itself', async () => {
  const { page } = tab;
  let arrived = 0;
  service.when('createApiKey', () => {
    arrived += 1;
    return { status: 201, body: madeKey };
  });
  const make = await fillKey();
  await tab.context.setOffline(true);
  await page.getByText('This browser is offline.').waitFor();
  await make.click();
  await page.getByRole('dialog').getByText('No answer').waitFor();
  await tab.context.setOffline(false);
  await page.getByText('This browser is offline.').waitFor({ state: 'detached' });
  await tab.idle();
  expect(arrived).toBe(0);
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('reports');
  await make.click();
  await page.getByText(madeKey.secret).waitFor();
  expect(arrived).toBe(1);
});

test('a page of a proxy in the place of an answer is told as that', async () => {
  service.when('listApiKeys', () => ({ body: '<!doctype html><title>Sign in to Hotel</title>' }));
  await tab.page.goto(`${service.url}${organizationPath}/settings/keys`);
  await tab.page.getByText('Something between this browser and the service answered').waitFor();
  service.when('listApiKeys', () => ({ status: 502, body: '<h1>Bad gateway</h1>' }));
  await tab.page.getByRole('button', { name: 'Try again' }).click();
  await tab.page.getByText('The service answered with status 502').waitFor();
  service.forget('listApiKeys');
  await tab.page.getByRole('button', { name: 'Try again' }).click();
  await tab.page.getByRole('row', { name: /^ci/ }).waitFor();
});

test('a read that comes too often waits as long as it is asked to, and then goes on by itself', async () => {
  let asked = 0;
  service.when('listApiKeys', () => {
    asked += 1;
    if (asked > 1) return { body: { data: [apiKeyExample], page: wholePage } };
    const headers = { 'retry-after': '1' };
    return { status: 429, headers, body: problem(429, 'rate_limited') };
  });
  await tab.page.goto(`${service.url}${organizationPath}/settings/keys`);
  await tab.page.getByRole('row', { name: /^ci/ }).waitFor();
  expect(asked).toBe(2);
  expect(await tab.page.getByRole('alert').count()).toBe(0);
  service.forget('listApiKeys');
});

test('a right that was taken away goes from the page as soon as it is noticed', async () => {
  const { page } = tab;
  const make = await fillKey();
  service.when('createApiKey', () => ({ status: 403, body: problem(403, 'insufficient_role') }));
  signInAs('viewer');
  await make.click();
  await page.getByText('It says insufficient_role.').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('reports');
});

test('a person who goes back while a transfer is under way is asked first, and the form stays as it was sent', async () => {
  const { page } = tab;
  answerFromExample(service);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  service.when('createTransfers', async () => {
    await held;
    return lostAnswer;
  });
  await page.goto(`${service.url}${base}/explorer`);
  await page.getByRole('link', { name: 'New transfer' }).click();
  await page.getByLabel('Debit account').fill('1001');
  await page.getByLabel('Credit account').fill('4001');
  await page.getByLabel('Amount').fill('5');
  await page.getByRole('button', { name: 'See the result' }).click();
  const send = page.getByRole('button', { name: `Send to ${databaseExample.name}` });
  await send.click();
  await eventually(
    'the form stays as it was sent',
    async () => (await page.getByLabel('Amount').isDisabled()) || undefined,
  );
  const question = page.getByRole('dialog', { name: 'Leave without the answer?' });
  await page.goBack();
  await question.getByRole('button', { name: 'Stay' }).click();
  answer();
  await page.getByText('It is not known whether the transfers were made').waitFor();
  expect(await page.getByLabel('Amount').inputValue()).toBe('5');
  await page.getByRole('link', { name: 'Trial balance' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(`${service.url}${base}/explorer/trial-balance`);
});

test('a refused transfer can be sent again with new IDs', async () => {
  const { page } = tab;
  const ids: string[] = [];
  answerFromExample(service);
  service.when('createTransfers', ({ body }) => {
    const [{ id } = { id: '' }] = body as readonly { readonly id: string }[];
    ids.push(id);
    const status = ids.length === 1 ? 'exceeds_credits' : 'created';
    const result = [{ index: 0, id, status, timestamp: '1' }];
    const summary = { created: 0, exists: 0, failed: 1 };
    return { body: { ...envelopeExample('create_transfers', 'write', 1), summary, result } };
  });
  await page.goto(`${service.url}${base}/explorer/new-transfer?ledger=978`);
  await page.getByLabel('Debit account').fill('1001');
  await page.getByLabel('Credit account').fill('4001');
  await page.getByLabel('Amount').fill('5');
  const sends = async () => {
    await page.getByRole('button', { name: 'See the result' }).click();
    await page.getByRole('button', { name: `Send to ${databaseExample.name}` }).click();
  };
  await sends();
  await page.getByText('Not everything was made').waitFor();
  await page.getByRole('button', { name: 'Same again with new IDs' }).click();
  await sends();
  await page.getByText('Made', { exact: true }).waitFor();
  expect(new Set(ids).size).toBe(2);
});

test('a clock that is an hour slow changes no time on the page', async () => {
  const { page } = tab;
  await page.clock.install({ time: Date.now() - 60 * minuteMs });
  // From half a minute before to half a minute after the answer it is thirty minutes.
  service.when('listApiKeys', () => {
    const lastUsedAt = new Date(Date.now() - 30.5 * minuteMs).toISOString();
    return { body: { data: [{ ...apiKeyExample, lastUsedAt }], page: wholePage } };
  });
  await page.goto(`${service.url}${organizationPath}/settings/keys`);
  await page.getByText('30 minutes ago').waitFor();
  service.forget('listApiKeys');
});

test('labels that are changed in two tabs: nothing is overwritten, and the later one is told what there is now', async () => {
  const { page } = tab;
  const patches: { readonly match: unknown; readonly body: unknown }[] = [];
  let [version, labels] = [1, { team: 'payments', cost: 'a' } as Record<string, string>];
  const etag = () => `W/"${databaseExample.id}-${version}"`;
  const shown = () => ({ ...databaseExample, labels });
  service.when('getDatabase', () => ({
    headers: { etag: etag() },
    body: { database: shown(), profile: null },
  }));
  service.when('updateDatabase', ({ body, headers }) => {
    patches.push({ match: headers['if-match'], body });
    if (headers['if-match'] !== etag()) {
      return { status: 412, body: problem(412, 'precondition_failed') };
    }
    const { labels: patch } = body as { readonly labels: Readonly<Record<string, string | null>> };
    const merged = Object.entries({ ...labels, ...patch }).filter(([, value]) => value !== null);
    [version, labels] = [version + 1, Object.fromEntries(merged) as Record<string, string>];
    return { body: { success: true, database: shown() } };
  });
  const card = (of: typeof page) => of.getByRole('region', { name: 'Labels' });
  const other = await tab.context.newPage();
  for (const one of [page, other]) {
    await one.goto(`${service.url}${base}`);
    await card(one).getByRole('button', { name: 'Change' }).click();
  }
  await other.getByLabel('One a line').fill('team=payments\ncost=a\nowner=eve');
  await other.getByRole('button', { name: 'Save labels' }).click();
  await card(other).getByText('owner=eve').waitFor();
  // The first tab hears of it, and still has what its person typed.
  await page.getByLabel('One a line').fill('team=ledger\ncost=a');
  await page.getByText('Somebody changed the labels meanwhile').waitFor();
  await page.getByRole('dialog').getByText('owner=eve').waitFor();
  await page.getByRole('button', { name: 'Save labels' }).click();
  await page.getByText('It says precondition_failed.').waitFor();
  expect(patches).toEqual([
    {
      match: `W/"${databaseExample.id}-1"`,
      body: { labels: { team: 'payments', cost: 'a', owner: 'eve' } },
    },
    { match: `W/"${databaseExample.id}-1"`, body: { labels: { team: 'ledger', cost: 'a' } } },
  ]);
  expect(labels).toEqual({ team: 'payments', cost: 'a', owner: 'eve' });
  await page.getByRole('button', { name: 'Leave them' }).click();
  await card(page).getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('One a line').fill('team=ledger\ncost=a\nowner=eve');
  await page.getByRole('button', { name: 'Save labels' }).click();
  await card(page).getByText('team=ledger').waitFor();
  await other.close();
  expect(tab.takeTroubles().filter((one) => !one.includes('412'))).toEqual([]);
  service.forget('getDatabase');
  service.forget('updateDatabase');
});

test('a session that ends in one tab is seen in the other, and so is the next one', async () => {
  const { page } = tab;
  const ended = { status: 401, body: problem(401, 'session_expired') };
  const other = await tab.context.newPage();
  for (const one of [page, other]) {
    await one.goto(`${service.url}${organizationPath}/settings/keys`);
    await one.getByRole('row', { name: /^ci/ }).waitFor();
  }
  for (const id of ['getSession', 'listApiKeys'] as const) service.when(id, () => ended);
  const comesBack = async (one: typeof page, seen: () => Promise<boolean>) =>
    eventually('the tab sees it', async () => {
      await one.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await one.evaluate('dispatchEvent(new Event("focus"))');
      if (!(await seen())) throw new Error('not yet');
      return true;
    });
  const isAsked = (one: typeof page) => async () =>
    one.getByRole('dialog', { name: 'Your session has ended' }).isVisible();
  for (const one of [page, other]) await comesBack(one, isAsked(one));
  signInAs('owner');
  service.forget('listApiKeys');
  for (const one of [page, other]) await comesBack(one, async () => !(await isAsked(one)()));
  await other.close();
  tab.takeTroubles();
});

const hostile = [
  '<img src=x onerror=alert(1)><script>alert(1)</script>',
  '\u202Eevil\u2066 owner',
  'שלום עולם',
  'x'.repeat(300),
] as const;

test('names that hold HTML, turn text around or have 300 characters do no harm to the page', async () => {
  const { page } = tab;
  const data = hostile.map((name, index) => ({
    ...apiKeyExample,
    id: `key_${index}`,
    name,
    createdBy: { ...apiKeyExample.createdBy, display: name },
  }));
  service.when('listApiKeys', () => ({ body: { data, page: wholePage } }));
  await page.goto(`${service.url}${organizationPath}/settings/keys`);
  await page.getByText(hostile[0], { exact: true }).waitFor();
  // The words of the page keep their places: nothing of the name is a control of direction.
  expect(await page.getByRole('table').innerText()).not.toMatch(/[\u202A-\u202E]/);
  await page.getByText('evil owner', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Revoke ${'x'.repeat(300)}` }).click();
  await page.getByRole('dialog').getByRole('heading').waitFor();
  await looksRight(tab, 'hostile-names');
  service.forget('listApiKeys');
});
