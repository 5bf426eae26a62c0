/**
 * Debian's Chromium, driven by Playwright. A `Tab` collects what must never happen on our pages: a violation of the content
 * security policy, an error on the console, an exception, a request to an origin that nobody expected.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Page,
  type Request,
} from 'playwright-core';
import { eventually } from '../shell.ts';

const executable = '/usr/bin/chromium';
/** Deadline of one step, in milliseconds. It only ends steps that hang: the machine may be ten times slower than usual. */
const stepMs = 180_000;
/** Within this time after an answer, a page sends the requests that follow from it. */
const quietMs = 2_000;
/** A request whose end has not been reported after this time has none: the browser left its page. */
const lostMs = 60_000;
const lookEveryMs = 500;
const screenshots = join(import.meta.dirname, '../../../.ledgerhouse/test/browser');

/** Arguments that keep the browser quiet and let it run as root in a container. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-sync',
  '--disable-quic',
];

/** `more`: further arguments. */
export const startChromium = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ ...launch(), args: [...flags, ...more] });

/** With the settings of a person, in the folder of their profile. */
export async function startChromiumIn(folder: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, { ...launch(), args: flags });
  context.setDefaultTimeout(stepMs);
  return context;
}

function launch() {
  if (!existsSync(executable)) {
    throw new Error(`${executable} is missing; make setup installs it`);
  }
  return { executablePath: executable, timeout: stepMs };
}

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Returns and forgets what must not happen, one line each. Empty when all is well. */
  takeTroubles(): readonly string[];
  /**
   * Waits until the browser has noted an answer of this status on its console, and forgets such notes: the page may show the answer before
   * the note has come. Other troubles stay.
   */
  hasNoted(status: number): Promise<void>;
  /** Lets the page ask one more origin. */
  allow(origin: string): void;
  /** Addresses of all requests, in order. */
  readonly requests: readonly string[];
  /** Waits until the page has its answers and, having read them, asks for nothing more. */
  idle(): Promise<void>;
  /** Keeps a picture in `.ledgerhouse/test/browser/`, for people to look at. */
  picture(name: string): Promise<void>;
  /** Films the tab from now on. Returns what ends the film and keeps it there, for `playwright-core show-trace`. */
  film(name: string): Promise<() => Promise<void>>;
}

/** Chromium gives up requests when an interface comes or goes, as those of clusters of other suites do. */
const networkChanged = 'net::ERR_NETWORK_CHANGED';

interface TabOptions {
  /** Origins that the page may ask. */
  readonly origins: readonly string[];
  readonly dark?: boolean;
  readonly width?: number;
  /** The service's certificate is signed by nobody whom the browser knows. */
  readonly ownAuthority?: boolean;
}

/** A tab of a browser without cookies of its own. */
export async function openTab(
  browser: Browser,
  { origins, dark = false, width = 900, ownAuthority = false }: TabOptions,
): Promise<Tab> {
  const context = await browser.newContext({
    colorScheme: dark ? 'dark' : 'light',
    viewport: { width, height: 700 },
    // Pictures show the same times on every machine.
    timezoneId: 'Etc/UTC',
    ignoreHTTPSErrors: ownAuthority,
  });
  context.setDefaultTimeout(stepMs);
  const page = await context.newPage();
  const troubles: string[] = [];
  const requests: string[] = [];
  const unanswered = new Set<Request>();
  const allowed = new Set(origins);
  await context.exposeFunction('tellTrouble', (text: string) => void troubles.push(text));
  await context.addInitScript(tellViolations);
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes(networkChanged))
      troubles.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => void troubles.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    requests.push(request.url());
    unanswered.add(request);
    const { origin } = new URL(request.url());
    if (!allowed.has(origin)) troubles.push(`request to ${request.url()}`);
  });
  page.on('requestfinished', (request) => unanswered.delete(request));
  page.on('requestfailed', (request) => unanswered.delete(request));
  const idle = async () => {
    let [seen, forMs] = ['', 0];
    while (forMs < (unanswered.size === 0 ? quietMs : lostMs)) {
      await page.waitForTimeout(lookEveryMs);
      const now = `${requests.length} ${unanswered.size}`;
      [seen, forMs] = [now, now === seen ? forMs + lookEveryMs : 0];
    }
  };
  return {
    context,
    page,
    takeTroubles: () => troubles.splice(0),
    hasNoted: async (status) => {
      const isNote = (text: string) => text.includes(`status of ${status}`);
      await eventually(`the status ${status} is noted`, async () => troubles.some(isNote));
      troubles.push(...troubles.splice(0).filter((text) => !isNote(text)));
    },
    allow: (origin) => void allowed.add(origin),
    requests,
    idle,
    picture: async (name) => {
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
    },
    film: async (name) => {
      await context.tracing.start({ title: name, screenshots: true });
      return () => context.tracing.stop({ path: join(screenshots, `${name}.zip`) });
    },
  };
}

/** Runs in the page, before anything of it. */
const tellViolations = `
  addEventListener('securitypolicyviolation', (event) => {
    tellTrouble('policy: ' + event.effectiveDirective + ' refused ' + event.blockedURI);
  });
`;
