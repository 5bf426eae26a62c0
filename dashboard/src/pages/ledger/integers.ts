/** Whether amounts are shown as the integers that are stored, on all pages of this tab. */
import { useSyncExternalStore } from 'react';

let asIntegers = false;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useIntegers = (): boolean => useSyncExternalStore(subscribe, () => asIntegers);

export function showIntegers(next: boolean): void {
  asIntegers = next;
  for (const listener of listeners) listener();
}
