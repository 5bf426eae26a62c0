/**
 * Runs before all other files of the page, and has the same name in all builds. In the middle of a rollout one server may send the page, and
 * one of another build be asked for its script or its styles. The page would stay blank: it is loaded again a few times, with growing
 * pauses, and then says so with a button. It must not import anything.
 */
const storageKey = 'ledgerhouse.first-loads';
/** Pauses before the loads that follow by themselves. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];

const words = {
  again:
    'The service may be in the middle of an update. The page is loaded again by itself in a moment.',
  enough:
    'The service may be in the middle of an update, or the connection is lost. Try again in a minute.',
} as const;

let isMissing = false;

addEventListener(
  'error',
  ({ target }) => {
    if (isMissing || !isNeeded(target)) return;
    isMissing = true;
    const pauseMs = nextPauseMs();
    // With a script and without styles, the page itself would come after this.
    addEventListener('load', () => tell(pauseMs === undefined ? 'enough' : 'again'));
    if (pauseMs !== undefined) setTimeout(() => location.reload(), pauseMs);
  },
  // Such an event does not rise from its element.
  { capture: true },
);
addEventListener('load', () => {
  if (isMissing) return;
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was kept.
  }
});

/** The pause before the next load; `undefined`: it was loaded often enough. */
function nextPauseMs(): number | undefined {
  try {
    const loads = Number(sessionStorage.getItem(storageKey));
    sessionStorage.setItem(storageKey, String(loads + 1));
    return pausesMs[loads];
  } catch {
    // Site data are blocked, so nothing counts the loads. The browser tells whether this is one that followed another: once is enough.
    const [navigation] = performance.getEntriesByType('navigation');
    return isReload(navigation) ? undefined : pausesMs[0];
  }
}

const isReload = (entry: PerformanceEntry | undefined): boolean =>
  entry instanceof PerformanceNavigationTiming && entry.type === 'reload';

const isNeeded = (target: EventTarget | null): boolean =>
  (target instanceof HTMLScriptElement && target.type === 'module') ||
  (target instanceof HTMLLinkElement && target.rel === 'stylesheet');

function tell(what: keyof typeof words): void {
  const main = document.createElement('main');
  Object.assign(main.style, { maxWidth: '60ch', margin: '96px auto', padding: '0 16px' });
  main.style.fontFamily = 'system-ui, sans-serif';
  const heading = document.createElement('h1');
  heading.textContent = 'The dashboard is not there yet';
  const text = document.createElement('p');
  text.setAttribute('role', 'status');
  text.textContent = words[what];
  const button = document.createElement('button');
  button.textContent = 'Load anew';
  button.addEventListener('click', () => location.reload());
  main.append(heading, text, button);
  document.body.replaceChildren(main);
}
