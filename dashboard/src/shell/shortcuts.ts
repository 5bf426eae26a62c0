/** What the keyboard does on the pages, for the dialog that lists it. */
import { keep, kept } from '../lib/kept.ts';

export interface ShortcutGroup {
  readonly title: string;
  /** Keys, each of which does it, and what it does. */
  readonly rows: readonly (readonly [keys: readonly string[], does: string])[];
}

export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'On every page',
    rows: [
      [['Ctrl K', '⌘ K'], 'Search, and go to a database, page or organization'],
      [['?'], 'This list'],
      [['Tab'], 'First: to the link that skips to the page'],
      [['Esc'], 'Close what is open over the page'],
    ],
  },
  {
    title: 'In the search and in menus',
    rows: [
      [['↑', '↓'], 'The entry before, and the next one'],
      [['Enter'], 'Choose the entry'],
    ],
  },
  { title: 'On a tab', rows: [[['←', '→'], 'The tab before, and the next one']] },
  { title: 'On a row of the explorer', rows: [[['Enter', 'Space'], 'All fields of the row']] },
  {
    title: 'On a chart',
    rows: [
      [['←', '→'], 'A step back, and a step on'],
      [['Page Down', 'Page Up'], 'Ten steps back, and ten steps on'],
      [['Home', 'End'], 'The first step, and the last one'],
      [['Shift ←', 'Shift →'], 'Mark a part'],
      [['Enter'], 'Show the marked part closer'],
      [['Esc'], 'Unmark it'],
    ],
  },
];

const storageKey = 'ledgerhouse.question-mark';

/** Whether the question mark opens the list. A person whose voice or hand types it by mistake switches it off. */
export const storedQuestionMark = (): boolean => kept(storageKey) !== 'off';
export const keepQuestionMark = (isOn: boolean): void => keep(storageKey, isOn ? 'on' : 'off');

/** Where a character is typed, or belongs to what is open over the page. */
const taken = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu]';

/** What a key opens; `undefined`: nothing. */
export function opensWith(event: KeyboardEvent): 'palette' | 'shortcuts' | undefined {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'palette' : undefined;
  if (key !== '?' || altKey || !storedQuestionMark()) return undefined;
  return target instanceof Element && target.closest(taken) !== null ? undefined : 'shortcuts';
}
