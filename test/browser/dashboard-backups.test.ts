// The backups of a database and imports in the dashboard, on the real service; what it rarely shows stands behind fixed answers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { backupExample } from '../../api/contract/schemas/backup.ts';
import { databaseExample, restoringExample } from '../../api/contract/schemas/database.ts';
import {
  recoveryWindowExample,
  restorePreviewExample,
} from '../../api/contract/schemas/recovery.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { written, type RecoveryWindow } from '../../domain/recovery.ts';
import type { AcceptedChange, DatabaseList, Import, ImportList, JobAnswer } from '../../gen/api.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { ask } from '../support/api/asking.ts';
import {
  endBackupJobs,
  madeBackup,
  madeOfFiles,
  operatorWithStore,
} from '../support/api/backup-store.ts';
import { bootstrapToken, TestService } from '../support/api/service.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';
import { exportThreeFiles } from '../support/engine/exported-files.ts';
import { BUCKET, S3Server } from '../support/store/s3-server.ts';

// As long as names may be.
const name = 'settlement-of-card-payments-europe-west1';
const path = '/o/default/databases';
/** A database of TigerBeetle. */
const cold = 'ledger-of-the-night';

let folder = '';
let service: TestService;
let fixed: FixedService;
let browser: Browser;
let store: S3Server;
let tab: Tab;
let files: readonly string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-imports-'));
  const [port] = await freePorts(1);
  store = await S3Server.start();
  service = await TestService.start({
    settings: {
      BACKUPS: 'on',
      IMPORTS_STORE: `s3://${BUCKET}/house`,
      IMPORTS_ENDPOINT: `http://127.0.0.1:${store.port}`,
      IMPORTS_CREDENTIALS_FOLDER: join(store.folder, 'credentials'),
      DASHBOARD_FOLDER: builtDashboard(),
      LISTEN: `127.0.0.1:${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    operator: operatorWithStore,
  });
  const { kubelet } = service.world;
  endBackupJobs(kubelet, (backup) => ({
    exitCode: 0,
    message: JSON.stringify(backup.startsWith(`${cold}-`) ? madeOfFiles : madeBackup),
  }));
  const ofBackups = kubelet.ending;
  // The Job of the first data file of an import tells the state that it installed; those of the others wait for it.
  const state = `60/${'c'.repeat(32)}`;
  kubelet.ending = (pod) =>
    ofBackups(pod) ??
    (pod.metadata?.name?.includes('-format-') === true
      ? { exitCode: 0, message: JSON.stringify({ state }) }
      : undefined);
  const { secret } = await service.makeKey(['db:read', 'db:write']);
  await service.createDatabase({ 'x-api-key': secret }, { name });
  [fixed, browser] = await Promise.all([FixedService.start(), startChromium()]);
  tab = await openTab(browser, { origins: [service.url, fixed.url], width: 1280 });
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await fixed?.stop();
  await service?.stop();
  await store?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const address = () => `${service.url}${path}/${name}/backups`;
async function stagedImports(): Promise<readonly Import[]> {
  const headers = await service.administrator();
  const answer = await fetch(`${service.url}/api/v1/imports`, { headers });
  return ((await answer.json()) as ImportList).data;
}
const row = (text: string | RegExp) => tab.page.getByRole('row').filter({ hasText: text });

test('without a backup the page says what it is for; one is made, and its progress is in sight', async () => {
  const { page } = tab;
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('link', { name: 'Backups' }).click();
  await page.getByRole('heading', { name: 'No backup yet' }).waitFor();
  await looksRight(tab, 'backups-empty');
  await service.stopOperator();
  await page.getByRole('button', { name: 'New backup' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('before-migration');
  await page.getByLabel('Days until it is removed').fill('30');
  await looksRight(tab, 'backups-new');
  await page.getByRole('button', { name: 'Make backup' }).click();
  await row('before-migration').getByText('Waiting for').waitFor();
  await row('before-migration').getByRole('progressbar').waitFor();
  const another = page.getByRole('button', { name: 'New backup' });
  expect(await another.getAttribute('aria-disabled')).toBe('true');
  await looksRight(tab, 'backups-running');
  await service.startOperator();
  await row('before-migration').getByText('complete').waitFor();
  await row('before-migration').getByText('1,000 transfers').waitFor();
  await row('before-migration').getByText('in 29 days').waitFor();
  await page.getByRole('button', { name: 'Test before-migration by a restore' }).click();
  await row('before-migration').getByText('restored in 1.1 s').waitFor();
  await looksRight(tab, 'backups');
});

test('a protected or held backup is not removed; without both it is, after a question', async () => {
  const { page } = tab;
  await page.getByRole('button', { name: 'New backup' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('unneeded');
  await page.getByLabel('Protect it').check();
  await page.getByRole('button', { name: 'Make backup' }).click();
  await row('unneeded').getByText('complete').waitFor();
  await row('unneeded').getByText('protected from removal').waitFor();
  const remove = page.getByRole('button', { name: 'Remove unneeded' });
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Unprotect unneeded' }).click();
  await row('unneeded').getByText('protected from removal').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Hold unneeded' }).click();
  await page.getByRole('textbox', { name: 'Why' }).fill('case 2026-117');
  await looksRight(tab, 'backups-hold');
  await page.getByRole('button', { name: 'Hold backup' }).click();
  await row('unneeded')
    .getByText(/^held by .+: case 2026-117$/)
    .waitFor();
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Release unneeded' }).click();
  await page.getByRole('dialog', { name: 'Release unneeded?' }).waitFor();
  await page.getByRole('button', { name: 'Release backup' }).click();
  await page.getByRole('button', { name: 'Hold unneeded' }).waitFor();
  await remove.click();
  await page.getByRole('dialog', { name: 'Remove unneeded?' }).waitFor();
  await looksRight(tab, 'backups-remove');
  await page.getByRole('button', { name: 'Remove backup' }).click();
  await row('unneeded').waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a schedule is made, says when its backups are due, is changed, suspended and deleted', async () => {
  const { page } = tab;
  const dialog = page.getByRole('dialog');
  await page.getByText('No schedule yet.').waitFor();
  await page.getByRole('button', { name: 'New schedule' }).click();
  await dialog.getByLabel('Time zone').fill('Mars/Olympus');
  await page.getByRole('button', { name: 'Make schedule' }).click();
  await page.getByText('cannot be followed').waitFor();
  await tab.hasNoted(422);
  await dialog.getByLabel('Time zone').fill('Etc/UTC');
  await dialog.getByLabel('How often').selectOption('0 3 * * 1');
  expect(await dialog.getByLabel('Fields of cron').inputValue()).toBe('0 3 * * 1');
  await looksRight(tab, 'backups-schedule-new');
  await page.getByRole('button', { name: 'Make schedule' }).click();
  const schedule = row('0 3 * * 1');
  await schedule.getByText('active').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await schedule.locator('time').count()).toBe(3);
  await schedule.getByText('the last 3').waitFor();
  await schedule.getByText('12 months').waitFor();
  await looksRight(tab, 'backups-scheduled');
  await schedule.getByRole('button', { name: /^Change/ }).click();
  await dialog.getByLabel('Days').fill('14');
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await schedule.getByText('14 days').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await schedule.getByRole('button', { name: /^Suspend/ }).click();
  await schedule.getByText('suspended').waitFor();
  expect(await schedule.locator('time').count()).toBe(0);
  await schedule.getByRole('button', { name: /^Delete/ }).click();
  await dialog.getByRole('button', { name: 'Delete schedule' }).click();
  await schedule.waitFor({ state: 'detached' });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a hidden tab asks for nothing, and asks at once when it is seen again', async () => {
  const { page } = tab;
  await page.clock.install();
  await page.goto(address());
  await row('before-migration').waitFor();
  const see = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    `);
  const answered = page.waitForResponse(/\/backups\?/);
  await page.clock.runFor(16_000);
  await answered;
  await see('hidden');
  // What it began to read while it was seen, it reads to the end.
  await tab.idle();
  const before = tab.requests.length;
  await page.clock.runFor(30 * 60_000);
  expect(tab.requests.slice(before)).toEqual([]);
  const again = page.waitForResponse(/\/backups\?/);
  await see('visible');
  await again;
  expect(tab.takeTroubles()).toEqual([]);
});

test('a new database begins with a backup, in the shape that is chosen with its price in sight', async () => {
  const { page } = tab;
  await page.goto(address());
  await page.getByRole('link', { name: 'Restore before-migration' }).click();
  await page.getByRole('heading', { name: 'Restore before-migration' }).waitFor();
  await page.getByText('1,000 transfers, 143 KiB of rows').waitFor();
  await page.getByText('€10.10').waitFor();
  const restore = page.getByRole('button', { name: /^Restore into a new database/ });
  expect(await restore.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByText(`The organization already has a database ${name}.`).waitFor();
  // The dry run refuses the name.
  await tab.hasNoted(409);
  await page.getByRole('textbox', { name: 'Name' }).fill('payments-again');
  await page.getByRole('radio', { name: /HA, 3 replicas/ }).check();
  await page.getByText('3 nodes').waitFor();
  await looksRight(tab, 'backups-restore');
  await restore.click();
  await page.waitForURL(`${service.url}${path}/payments-again`);
  await page.getByRole('heading', { level: 1, name: 'payments-again' }).waitFor();
  await page
    .getByText(/^Ready|Healthy/)
    .first()
    .waitFor();
  await page.goto(address());
  await row('before-migration').getByText('began one database').waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('the data files of a suspended TigerBeetle are backed up, and begin only a database of TigerBeetle', async () => {
  const { page } = tab;
  const me = await service.administrator();
  const shape = { engine: 'TigerBeetle', clusterConfiguration: 'ha-3', clusterSize: 'lh-40' };
  const { database } = await service.createDatabase(me, { name: cold, ...shape });
  await page.goto(`${service.url}${path}/${cold}/backups`);
  const make = page.getByRole('button', { name: 'New backup' });
  await make.click();
  await page.getByText('It is made beside the running database.').waitFor();
  await page.getByRole('button', { name: 'Make none' }).click();
  const suspension = await ask<AcceptedChange>(service.url, me, 'createChange', {
    of: { databaseId: database.id },
    body: { suspended: true },
  });
  expect(suspension.status).toBe(202);
  await page.getByText('Suspended', { exact: true }).first().waitFor();
  await make.click();
  await page.getByText('The data files of all replicas are copied as they are.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('before-the-move');
  await looksRight(tab, 'backups-files-new');
  await page.getByRole('button', { name: 'Make backup' }).click();
  const made = row('before-the-move');
  await made.getByText('complete').waitFor();
  await made.getByText('data files, for TigerBeetle of the same topology').waitFor();
  // Nobody can count the transfers in them.
  expect(await made.getByText('transfers').count()).toBe(0);
  await made.getByText('26.4 KiB').waitFor();
  await page.getByRole('button', { name: 'Test before-the-move by a restore' }).click();
  await made.getByText('restored in 1.1 s').waitFor();
  await looksRight(tab, 'backups-files');

  await page.getByRole('link', { name: 'Restore before-the-move' }).click();
  await page.getByText('the data files of 3 replicas').waitFor();
  const engine = page.getByRole('region', { name: 'Engine' });
  expect(await engine.getByRole('radio').count()).toBe(1);
  expect(await engine.getByRole('radio', { name: /^TigerBeetle/ }).isChecked()).toBe(true);
  expect(await engine.getByRole('checkbox').count()).toBe(0);
  await engine.getByText(/cluster ID/).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('thawed');
  await looksRight(tab, 'backups-files-restore');
  await page.getByRole('button', { name: /^Restore into a new database/ }).click();
  await page.waitForURL(`${service.url}${path}/thawed`);
  await page
    .getByText(/^Ready|Healthy/)
    .first()
    .waitFor();
  const begun = (await service.world.kube.list<DatabaseObject>(resources.database)).find(
    ({ metadata }) => metadata.name === 'thawed',
  );
  expect(begun?.spec).toMatchObject({
    engine: 'TigerBeetle',
    topology: 'ha-3',
    bootstrap: { backup: { clusterId: madeOfFiles.clusterId } },
  });
  expect(tab.takeTroubles()).toEqual([]);
});

/** The form for a database that begins with files. */
async function openImport(): Promise<void> {
  const { page } = tab;
  await page.goto(`${service.url}${path}/new`);
  await page.getByRole('radio', { name: /^Import/ }).check();
  await page.getByText('Drop the files here').waitFor();
}
const chosen = (file: string) =>
  tab.page
    .getByRole('list', { name: 'Chosen files' })
    .getByRole('listitem')
    .filter({ hasText: file });
const choose = (files: Parameters<Locator['setInputFiles']>[0]) =>
  tab.page.getByLabel('Choose the data files').setInputFiles(files);

test('files of an import are read before anything is sent, and what is wrong is said of each', async () => {
  const { page } = tab;
  files = await exportThreeFiles(folder, 77n);
  await openImport();
  const before = tab.requests.length;
  await choose([files[0] ?? '', files[1] ?? '', join(builtDashboard(), 'index.html')]);
  await chosen('77_1.ledger').getByText('replica 1 of 3').waitFor();
  await chosen('index.html').getByText('It is no data file.').waitFor();
  const upload = page.getByRole('button', { name: /^Upload/ });
  expect(await upload.getAttribute('aria-disabled')).toBe('true');
  await looksRight(tab, 'import-wrong');
  await choose(files.slice(0, 2));
  await page.getByText('There are 2 files; an import has 1, 3 or 6').waitFor();
  expect(await upload.getAttribute('aria-disabled')).toBe('true');
  expect(tab.requests.slice(before).filter((one) => /imports.+/.test(one))).toEqual([]);
});

test('an upload that was stopped goes on with what is missing, and a database begins with the files', async () => {
  const { page } = tab;
  const held = /files\/0\/parts\/2/;
  const sent = () =>
    tab.requests.filter((one) => one.includes('/parts/')).map((one) => one.slice(-15));
  await page.route(held, () => undefined);
  await choose(files);
  await chosen('77_2.ledger').getByText('can be imported', { exact: true }).waitFor();
  await looksRight(tab, 'import-chosen');
  await page.getByRole('button', { name: /^Upload/ }).click();
  await page.getByText('Uploading.').waitFor();
  await eventually('all parts but one have arrived', async () => {
    const [one] = await stagedImports();
    expect(one?.files.map(({ status }) => status)).toEqual(['PENDING', 'UPLOADED', 'UPLOADED']);
    return true;
  });
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('dialog', { name: 'Leave the upload?' }).waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await looksRight(tab, 'import-uploading');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await page.unroute(held);
  await looksRight(tab, 'import-stopped');
  const before = sent().length;

  await openImport();
  await page.getByText('8.08 MiB of 9.12 MiB uploaded').waitFor();
  await looksRight(tab, 'import-open');
  await page.getByRole('button', { name: /^Resume imp_/ }).click();
  await choose(files.slice(0, 2));
  await page.getByText('There are 2 files; an import has 1, 3 or 6').waitFor();
  await choose(files);
  await chosen('77_2.ledger').getByText('can be imported', { exact: true }).waitFor();
  await looksRight(tab, 'import-again');
  await page.getByRole('button', { name: 'Resume upload' }).click();
  await page.getByText('The files are uploaded and belong together.').waitFor();
  // The first parts show that they are the same files.
  const again = sent().slice(before);
  expect(again.slice(0, 3).toSorted()).toEqual([0, 1, 2].map((file) => `files/${file}/parts/1`));
  expect(again.slice(3)).toEqual(['files/0/parts/2']);
  expect(await page.getByRole('radio', { name: /HA, 3 replicas/ }).isChecked()).toBe(true);
  expect(await page.getByRole('radio', { name: /^Single/ }).isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Name' }).fill('moved');
  await page.getByText('3 nodes').waitFor();
  await looksRight(tab, 'import-ready');
  await page.getByRole('button', { name: 'Create database' }).click();
  await page.waitForURL(`${service.url}${path}/moved`);
  await page
    .getByText(/^Ready|Healthy/)
    .first()
    .waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

/** The archived log of the database, as its operator would tell it; the operator rests until it is known. */
async function tellWindow(window: RecoveryWindow): Promise<void> {
  const found = (await service.world.kube.list<DatabaseObject>(resources.database)).find(
    ({ metadata }) => metadata.name === name,
  );
  const namespace = found?.metadata.namespace ?? '';
  await service.stopOperator();
  await service.world.kube.mergePatch(
    { resource: resources.database, namespace, name },
    { status: { recovery: window } },
    { fieldManager: 'operator', subresource: 'status' },
  );
  await tab.page.getByRole('link', { name: 'Restore to a moment' }).waitFor();
  await service.startOperator();
}

test('an owner sets a database back to a moment: what goes is in sight, its name is typed, a refusal is told in words, and its end is shown', async () => {
  const { page } = tab;
  const second = (seconds: number) => 1_795_372_800_000_000_000n + BigInt(seconds) * 1_000_000_000n;
  await page.goto(address());
  await tellWindow({
    earliest: written({ op: 0, timestamp: 0n }),
    latest: written({ op: 300, timestamp: second(200) }),
    gaps: [
      {
        after: written({ op: 100, timestamp: second(10) }),
        before: written({ op: 126, timestamp: BigInt(madeBackup.timestamp) }),
        operations: 25,
      },
    ],
  });
  await page.getByRole('link', { name: 'Restore to a moment' }).click();
  const back = page.getByRole('button', { name: 'Set this database back' });
  await page.getByText('174 operations').waitFor();
  const moment = page.getByRole('textbox', { name: 'Moment' });
  await moment.fill('2026-11-22T18:40:11Z');
  await page.getByText('the log has a gap there').waitFor();
  await tab.hasNoted(409);
  expect(await back.getAttribute('aria-disabled')).toBe('true');
  await moment.fill('2026-11-22T18:43:19Z');
  await page.getByText('at most 174 operations').waitFor();
  await back.click();
  const dialog = page.getByRole('dialog', { name: `Set ${name} back?` });
  await dialog.getByText('the last operation at or before').waitFor();
  await dialog.getByText('what was written since').waitFor();
  await dialog.getByText('restore that backup in place').waitFor();
  const go = dialog.getByRole('button', { name: 'Set it back' });
  const typed = dialog.getByLabel(`Type ${name} to go on`);
  await typed.fill(name.slice(0, -1));
  expect(await go.getAttribute('aria-disabled')).toBe('true');
  await typed.fill(name);
  await looksRight(tab, 'backups-in-place');

  const me = await service.administrator();
  const listed = (await ask<DatabaseList>(service.url, me, 'listDatabases')).json.data;
  const databaseId = listed.find((one) => one.name === name)?.id ?? '';
  // Nobody applies it until there is a worker again.
  await service.stopWorker();
  const beside = await ask<AcceptedChange>(service.url, me, 'createChange', {
    of: { databaseId },
    body: { labels: { team: 'payments' } },
  });
  await go.click();
  await dialog.getByText('Another job works on this database.').waitFor();
  await tab.hasNoted(409);
  await looksRight(tab, 'backups-in-place-refused');
  await service.startWorker();
  await eventually('the other job has ended', async () => {
    const of = { jobId: beside.json.job?.id ?? '' };
    const { json } = await ask<JobAnswer>(service.url, me, 'getJob', { of });
    return json.job.finishedAt ?? undefined;
  });

  const { kubelet } = service.world;
  const { ending } = kubelet;
  kubelet.ending = (pod) =>
    pod.metadata.labels?.[labels.backup] === undefined ? ending(pod) : 'runs';
  await go.click();
  await page.waitForURL(`${service.url}${path}/${name}`);
  const card = page.getByRole('region', { name: 'Change', exact: true });
  await page.getByText('A backup is made while the database serves.').first().waitFor();
  await looksRight(tab, 'backups-in-place-runs');
  kubelet.ending = ending;
  await card.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Backups' }).click();
  await row('when the replicas went').getByText('complete').waitFor();
  await looksRight(tab, 'backups-in-place-done');
  expect(tab.takeTroubles()).toEqual([]);
});

test('a database is deleted with a last backup, and its page says where its data are', async () => {
  const { page } = tab;
  await page.goto(`${service.url}${path}/${name}`);
  await page.getByRole('button', { name: 'Delete database' }).click();
  await page.getByLabel(`Type ${name} to go on`).fill(name);
  await page.getByLabel('Make a last backup').check();
  await looksRight(tab, 'backups-last');
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByRole('heading', { name: 'Deleted', exact: true }).waitFor();
  await page.getByText('Its data are gone.').waitFor();
});

const page0 = { limit: 20, nextCursor: null, hasMore: false };
const fixedAddress = () => `${fixed.url}/o/acme/databases/${databaseExample.name}/backups`;

test('without a store the page says who can set one up, and offers nothing that would fail', async () => {
  const { page } = tab;
  const { id, name: called, slug } = { ...sessionExample.organization, slug: 'acme' };
  const rights = rightsOf('owner');
  const organization = { id, name: called, slug, role: 'owner', rights, namespace: 'org-acme' };
  const session = { ...sessionExample, organization, organizations: [organization] };
  fixed.when('getSession', () => ({ body: session }));
  fixed.when('listBackups', () => ({ body: { data: [], page: page0, configured: false } }));
  fixed.when('listBackupSchedules', () => ({ body: { data: [] } }));
  await page.goto(fixedAddress());
  await page.getByText('No backup store is set up: ask your administrator.').first().waitFor();
  const make = page.getByRole('button', { name: 'New backup' });
  expect(await make.getAttribute('aria-disabled')).toBe('true');
  await looksRight(tab, 'backups-no-store');
  fixed.when('listBackups', () => ({
    body: { data: [backupExample], page: page0, configured: false },
  }));
  await page.reload();
  await row(backupExample.name).waitFor();
  expect(await page.getByRole('link', { name: /^Restore/ }).count()).toBe(0);
});

test('failed, damaged and detached backups say what is wrong; a lost answer is asked for again', async () => {
  const { page } = tab;
  const made = { ...backupExample, expiresAt: null };
  const rows = [
    {
      ...made,
      id: 'bkp_01jd8f3zk5e0v9t3m2q6r8w4x1',
      name: 'failed-one',
      status: 'FAILED',
      statusReason: { code: 'Failed', message: 'the store refused the credentials: 403' },
    },
    {
      ...made,
      id: 'bkp_01jd8f3zk5e0v9t3m2q6r8w4x2',
      name: 'damaged-one',
      type: 'SCHEDULED',
      schedule: 'nightly',
      verification: {
        ...backupExample.verification,
        status: 'FAILED',
        message: 'the object chunks/transfers/0.bin is missing',
      },
    },
    {
      ...made,
      id: 'bkp_01jd8f3zk5e0v9t3m2q6r8w4x3',
      name: 'detached-one',
      type: 'FINAL',
      managed: false,
      restores: [{ databaseId: databaseExample.id, status: 'READY' }],
    },
  ];
  let refusals = 1;
  fixed.when('listBackups', () => {
    refusals -= 1;
    if (refusals >= 0) {
      const problem = { title: 'Internal error', detail: 'It is noted.', code: 'internal_error' };
      return { status: 500, body: { ...problem, status: 500, requestId: 'req_1', instance: '' } };
    }
    return { body: { data: rows, page: page0, configured: true } };
  });
  await page.goto(fixedAddress());
  await page.getByRole('button', { name: 'Try again' }).click();
  await tab.hasNoted(500);
  await row('failed-one').getByText('403').waitFor();
  await row('damaged-one').getByText('is missing').waitFor();
  await row('damaged-one').getByText('by the schedule nightly').waitFor();
  await row('detached-one').getByText('only in the store').waitFor();
  await row('detached-one').getByText('began one database').waitFor();
  await looksRight(tab, 'backups-troubles');
});

test('a moment is previewed while it is typed, refused with what is possible instead, and restored', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  const gap = {
    after: { op: 100, timestamp: '1795372810000000000', time: '2026-11-22T18:40:10.000000000Z' },
    before: recoveryWindowExample.latest,
    operations: 25,
  };
  fixed.when('getRecoveryWindow', () => ({
    body: { recoveryWindow: { ...recoveryWindowExample, gaps: [gap] } },
  }));
  fixed.when('previewRestore', ({ body }) => {
    if (JSON.stringify(body).includes('18:41:40.5Z'))
      return { body: { preview: restorePreviewExample } };
    const title = 'The moment cannot be restored';
    const detail = 'payments-prod cannot be restored to it: the log has a gap there.';
    const problem = { title, detail, code: 'moment_unavailable', status: 409, instance: '' };
    return { status: 409, body: { ...problem, requestId: 'req_1' } };
  });
  fixed.when('restoreToMoment', ({ body }) => {
    asked.push(body);
    return { status: 202, body: restoringExample };
  });
  await page.goto(fixedAddress());
  await page.getByText('25 operations after').waitFor();
  await looksRight(tab, 'backups-window');
  await page.getByRole('link', { name: 'Restore to a moment' }).click();
  await page.getByText('the log has a gap there').waitFor();
  await tab.hasNoted(409);
  const restore = page.getByRole('button', { name: /^Restore into a new database/ });
  await page.getByRole('textbox', { name: 'Name' }).fill('payments-again');
  expect(await restore.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Moment' }).fill('2026-11-22T18:41:40.5Z');
  await page.getByText('4,097 operations').waitFor();
  await page.getByText('2141').waitFor();
  // The focus has moved the page, under whose upper edge a tab may end.
  await page.evaluate('scrollTo(0, 0)');
  await looksRight(tab, 'backups-moment');
  await restore.click();
  await eventually('it is asked for', async () => asked.length === 1 || undefined);
  expect(asked).toMatchObject([{ name: 'payments-again', targetTime: '2026-11-22T18:41:40.5Z' }]);
  expect(tab.takeTroubles()).toEqual([]);
});
