/**
 * After a deployment an open tab may ask for files of the build before. It then loads the page anew, once for each build: a file
 * that is missing for another reason must not make the page load for ever. Where somebody has typed on the page, it only says
 * that there is a new build, and they choose the time.
 */
const storageKey = 'ledgerhouse.reloaded';

/** Marks an element with something that is shown once, such as a secret: a page that has one is not loaded anew by itself. */
export const shownOnce = { 'data-shown-once': true } as const;

/** Address of this build's first script: its name has a hash of the content. */
const buildName = (): string =>
  document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';

/** Path of the page on which somebody last typed or chose something. */
let typedOn: string | undefined;
const wouldLose = (): boolean =>
  typedOn === location.pathname || document.querySelector('[data-shown-once]') !== null;

type Listener = () => void;

/** Whether a new build waits for the person to load the page anew. */
class NewBuild {
  waits = false;
  readonly #listeners = new Set<Listener>();

  tell(): void {
    this.waits = true;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly load = (): void => {
    sessionStorage.setItem(storageKey, buildName());
    location.reload();
  };
}

export const newBuild = new NewBuild();

export function reloadForNewBuild(): void {
  addEventListener('input', () => void (typedOn = location.pathname), { capture: true });
  addEventListener('vite:preloadError', (event) => {
    // Without a connection the page would be gone.
    if (!navigator.onLine || sessionStorage.getItem(storageKey) === buildName()) return;
    if (wouldLose()) {
      newBuild.tell();
      return;
    }
    event.preventDefault();
    newBuild.load();
  });
}
