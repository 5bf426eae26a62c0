/**
 * After a deployment an open tab may ask for files of the build before. It then reloads the page, once for each build: a file
 * that is missing for another reason must not make the page reload for ever.
 */
const storageKey = 'ledgerhouse.reloaded';

/** Address of this build's first script: its name has a hash of the content. */
const buildName = (): string =>
  document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? '';

export function reloadForNewBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    // Without a connection the page would be gone, with all that was typed.
    if (!navigator.onLine || sessionStorage.getItem(storageKey) === buildName()) return;
    event.preventDefault();
    sessionStorage.setItem(storageKey, buildName());
    location.reload();
  });
}
