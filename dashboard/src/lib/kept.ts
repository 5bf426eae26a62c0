/**
 * What this browser keeps for the dashboard from visit to visit. With blocked site data it throws as soon as its storage is named, and in a
 * private mode that may have no room: what is chosen then holds until the page is left.
 */
const notStored = new Map<string, string>();

export function kept(key: string): string | undefined {
  const held = notStored.get(key);
  if (held !== undefined) return held;
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
    notStored.delete(key);
  } catch {
    notStored.set(key, text);
  }
}

export function forget(key: string): void {
  notStored.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
