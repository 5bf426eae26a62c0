/**
 * The path to open after a sign-in: `given` if it is a path of this service, else `/`, the dashboard. Browsers read `//host` and
 * backslashes as another site.
 */
export function ownPath(given: string | null | undefined): string {
  const base = 'http://localhost';
  const fallback = '/';
  if (given?.startsWith('/') !== true || !URL.canParse(given, base)) return fallback;
  const { origin, pathname, search } = new URL(given, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : fallback;
}
