/**
 * After a deployment an open tab may ask for files of the build before. It then reloads the page, once for each build: a file
 * that is missing for another reason must not make the page load for ever. Where that would lose something, or has brought the same
 * build again, it only says so, and the person chooses the time.
 */
const storageKey = 'ledgerhouse.reloaded';

/** Whether the page was loaded anew for this build. Never where the browser keeps nothing, as with blocked site data. */
function wasLoaded(): boolean {
  try {
    return sessionStorage.getItem(storageKey) === buildName();
  } catch {
    return false;
  }
}

/** Notes that the page is loaded anew for this build. Returns whether the browser keeps it. */
function noteLoad(): boolean {
  try {
    sessionStorage.setItem(storageKey, buildName());
    return true;
  } catch {
    return false;
  }
}

/** Marks an element with something that is shown once, such as a secret: a page that has one does not reload itself. */
export const shownOnce = { 'data-shown-once': true } as const;

/** Address of this build's first script: its name has a hash of the content. */
const buildName = (): string =>
  document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';

/** Path of the page on which somebody last typed or chose something. */
let typedOn: string | undefined;
const wouldLose = (): boolean =>
  typedOn === location.pathname || document.querySelector('[data-shown-once]') !== null;

type Listener = () => void;

/** `kept`: something on this page would be lost. `again`: the page was reloaded and is of the same build, as in the middle of a rollout. */
type Reason = 'kept' | 'again';

/** Whether and why the person must reload the page. */
class NewBuild {
  waits: Reason | undefined;
  readonly #listeners = new Set<Listener>();

  tell(reason: Reason): void {
    this.waits = reason;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly load = (): void => {
    noteLoad();
    location.reload();
  };
}

export const newBuild = new NewBuild();

/** `isWriting`: whether the answer of a request that changes something is awaited, such as a new key with its secret. */
export function reloadForNewBuild(isWriting: () => boolean): void {
  addEventListener('input', () => void (typedOn = location.pathname), { capture: true });
  addEventListener('vite:preloadError', (event) => {
    // Without a connection the page would be gone.
    if (!navigator.onLine) return;
    if (wasLoaded()) newBuild.tell('again');
    // Without a note, a page whose file is missing for another reason would be loaded for ever.
    else if (wouldLose() || isWriting() || !noteLoad()) newBuild.tell('kept');
    else {
      event.preventDefault();
      location.reload();
    }
  });
}
