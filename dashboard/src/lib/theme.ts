/** Light, dark, or the system's choice; and the time zone. Both are kept in this browser. */
import type { Zone } from './time.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const themeKey = 'ledgerhouse.theme';
const zoneKey = 'ledgerhouse.zone';

export const storedTheme = (): Theme =>
  themes.find((one) => one === localStorage.getItem(themeKey)) ?? 'system';

export function applyTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const storedZone = (): Zone => (localStorage.getItem(zoneKey) === 'utc' ? 'utc' : 'local');
export const keepZone = (zone: Zone): void => localStorage.setItem(zoneKey, zone);
