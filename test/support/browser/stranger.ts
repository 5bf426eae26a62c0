/**
 * Somebody who has never seen the service and has a browser, and what they do on the dashboard's pages. Each deed waits for what the page
 * shows, and keeps a picture of it.
 */
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Tab } from './chromium.ts';

/** Deadline of what the cluster does meanwhile, such as a database or a backup: for what hangs. */
const stepMs = 600_000;
/** For what was offered a moment ago. */
const offerMs = 10_000;
/** Between two tries of the same: nobody presses a button without a pause. */
const paceMs = 1_000;
/**
 * Requests that were cut off with a pod, or that nobody could answer while it was away; and dry runs of a form that is not yet
 * filled in, which are refused if what it proposes does not fit.
 */
const harmless = /net::ERR_|status of 50[234]|status of 4(?:09|22) .*dryRun=true/;

/** What the page for connecting says to install, write and run. */
export interface Program {
  readonly install: string;
  readonly environment: string;
  readonly file: string;
  readonly command: string;
}

export class Stranger {
  readonly #tab: Tab;
  readonly #page: Page;
  readonly #url: string;
  #pictures = 0;

  /** `url`: the address that was printed. */
  constructor(tab: Tab, url: string) {
    this.#tab = tab;
    this.#page = tab.page;
    this.#url = url;
    tab.context.setDefaultTimeout(stepMs);
  }

  /** Meets the example after it. */
  async signsIn(token: string): Promise<void> {
    await this.#page.goto(`${this.#url}/`);
    await this.#page.getByLabel('Bootstrap token').fill(token);
    await this.#page.getByRole('button', { name: 'Sign in' }).click();
    await this.#page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
    // The first answer told the page that nobody was signed in.
    expect(this.#tab.takeTroubles()).toEqual([expect.stringContaining('401 (Unauthorized)')]);
    await this.#page.getByRole('link', { name: 'demo', exact: true }).waitFor();
    await this.#page.getByText('holds an example').waitFor();
    await this.#page.getByText('The first five steps').waitFor();
    await this.#sees('signed-in');
  }

  /** Of the smallest size. `meanwhile` happens while it is made. */
  async creates(name: string, meanwhile: () => Promise<unknown>): Promise<void> {
    const page = this.#page;
    await page.getByRole('link', { name: 'New database' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('radio', { name: /lh-5\b/ }).check();
    await page.getByLabel('GiB of each node').fill('1');
    await page.getByText('a month').first().waitFor();
    await this.#sees('create');
    await page.getByRole('button', { name: 'Create database' }).click();
    await page.waitForURL(`${this.#url}/o/*/databases/${name}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await this.#sees('being-made');
    await meanwhile();
    await this.#seesHealthy(name);
  }

  /** `runs` does what the page says. */
  async connects(runs: (program: Program) => Promise<unknown>): Promise<void> {
    const page = this.#page;
    await this.#opens('Connect');
    await page.getByText('waiting', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make a key for this database' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('first program');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByText('The new key is shown this once').waitFor();
    await this.#sees('connect');
    const block = async (label: string) =>
      (await page.locator(`pre[aria-label="${label}"]`).textContent()) ?? '';
    await runs({
      install: await block('the installation'),
      environment: await block('the environment'),
      file: await block('main.js'),
      command: await block('the command'),
    });
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByText('ledgerhouse connect', { exact: true }).waitFor();
    await this.#sees('connected');
  }

  async makesAccounts(database: string, ids: readonly string[]): Promise<void> {
    const page = this.#page;
    await this.#opens('Explorer');
    await page.getByRole('link', { name: 'New account' }).click();
    for (const [index, id] of ids.entries()) {
      if (index > 0) await page.getByRole('button', { name: 'Another one' }).click();
      await page.getByLabel('ID', { exact: true }).fill(id);
      await page.getByLabel('history').check();
      await page.getByRole('button', { name: `Make account in ${database}` }).click();
      await this.#arrives(page.getByText('There', { exact: true }));
    }
    await this.#sees('accounts');
  }

  /** `meanwhile` happens between the result that is foreseen and the button that sends it. */
  async sends(
    database: string,
    [debit, credit, amount]: readonly [string, string, string],
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const page = this.#page;
    await page.getByRole('link', { name: 'New transfer' }).click();
    await page.getByLabel('Debit account').fill(debit);
    await page.getByLabel('Credit account').fill(credit);
    await page.getByLabel('Amount').fill(amount);
    await page.getByRole('button', { name: 'See the result' }).click();
    await page.getByText('The ledger would make this').waitFor();
    await this.#sees('foreseen');
    await meanwhile();
    await page.getByRole('button', { name: `Send to ${database}` }).click();
    await this.#arrives(page.getByText('Made', { exact: true }), 'Send the same again');
    await this.#sees('sent');
  }

  /** From the explorer to the account's statement, which ends with this balance, and its chart. */
  async reads(account: string, balance: string): Promise<void> {
    const page = this.#page;
    await this.#opens('Explorer');
    await page.getByRole('button', { name: 'Run' }).click();
    const found = page.getByRole('cell', { name: account, exact: true });
    await this.#arrives(found);
    await found.first().click();
    await page.getByRole('link', { name: 'Its page' }).click();
    await page.getByRole('heading', { name: `Account ${account}` }).waitFor();
    const closing = new RegExp(`^Closing balance ${balance}$`);
    await this.#arrives(page.getByRole('row', { name: closing }));
    await page.getByRole('row', { name: /^Opening balance 0$/ }).waitFor();
    await page.getByText('1 transfer.').waitFor();
    await page.getByRole('figure', { name: 'Balance over time' }).locator('path').waitFor();
    await this.#sees(`statement-${account}`);
  }

  async backsUp(name: string): Promise<void> {
    const page = this.#page;
    await this.#opens('Backups');
    await page.getByRole('heading', { name: 'No backup yet' }).waitFor();
    await page.getByRole('button', { name: 'New backup' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('button', { name: 'Make backup' }).click();
    const backup = page.getByRole('row').filter({ hasText: name });
    await this.#arrives(backup.getByText('complete', { exact: true }));
    await backup.getByText('1 transfer', { exact: true }).waitFor();
    await this.#sees('backup');
  }

  async restoresBackup(backup: string, into: string): Promise<void> {
    const page = this.#page;
    await page.getByRole('link', { name: `Restore ${backup}` }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(into);
    await page.getByText('a month').first().waitFor();
    await this.#sees('restore');
    await page.getByRole('button', { name: 'Restore into a new database' }).click();
    await page.waitForURL(`${this.#url}/o/*/databases/${into}`);
    await this.#seesHealthy(into);
  }

  async deletes(database: string): Promise<void> {
    const page = this.#page;
    await page.getByRole('link', { name: 'Databases' }).first().click();
    await page.getByRole('link', { name: database, exact: true }).click();
    await page.getByRole('button', { name: 'Delete database' }).click();
    await page.getByLabel(`Type ${database} to go on`).fill(database);
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { name: 'Deleted', exact: true }).waitFor();
    await this.#sees('deleted');
  }

  /** From the page of what was just deleted. */
  async restoresDeleted(database: string): Promise<void> {
    // The button waits for the end of the deletion.
    await this.#page.getByRole('button', { name: 'Restore database' }).click();
    await this.#seesHealthy(database);
  }

  async signsOut(): Promise<void> {
    await this.#page.goto(`${this.#url}/account`);
    await this.#page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(await this.#page.getByRole('main').innerText()).toContain('of this installation');
    await this.#sees('account');
    await this.#page.getByRole('button', { name: 'Sign out' }).click();
    await this.#page.getByLabel('Bootstrap token').waitFor();
    await this.#sees('signed-out');
  }

  /** Opens a page of the database. */
  async #opens(title: string): Promise<void> {
    const pages = this.#page.getByRole('navigation', { name: /^Pages of (?!the ledger)/ });
    await pages.getByRole('link', { name: title }).click();
  }

  async #seesHealthy(database: string): Promise<void> {
    const name = this.#page.getByRole('heading', { level: 1, name: database, exact: true });
    const head = this.#page.locator('header').filter({ has: name });
    await head.getByText('Healthy', { exact: true }).waitFor();
    await this.#sees(`${database}-healthy`);
  }

  /** Waits for something. Who is offered to try again meanwhile does. */
  async #arrives(wanted: Locator, offer = 'Try again'): Promise<void> {
    const again = this.#page.getByRole('button', { name: offer }).first();
    const first = wanted.first();
    for (;;) {
      await first.or(again).first().waitFor();
      if (await first.isVisible()) return;
      await this.#page.waitForTimeout(paceMs);
      // It may be gone by now.
      await again.click({ timeout: offerMs }).catch(() => {});
    }
  }

  async #sees(what: string): Promise<void> {
    this.#pictures += 1;
    await this.#tab.picture(`stranger-${String(this.#pictures).padStart(2, '0')}-${what}`);
    const troubles = this.#tab.takeTroubles();
    expect(troubles.filter((trouble) => !harmless.test(trouble))).toEqual([]);
  }
}
