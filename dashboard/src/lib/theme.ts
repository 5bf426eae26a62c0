/** Light, dark, or the system's choice; and the time zone. Both are kept in this browser. */
import { keep, kept } from './kept.ts';
import type { Zone } from './time.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const themeKey = 'ledgerhouse.theme';
const zoneKey = 'ledgerhouse.zone';

export const storedTheme = (): Theme => themes.find((one) => one === kept(themeKey)) ?? 'system';

export function applyTheme(theme: Theme): void {
  keep(themeKey, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const storedZone = (): Zone => (kept(zoneKey) === 'utc' ? 'utc' : 'local');
export const keepZone = (zone: Zone): void => keep(zoneKey, zone);
