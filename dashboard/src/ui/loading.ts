/** How many parts of the page show that they load: one polite region tells it, however many they are. */
type Listener = () => void;

const listeners = new Set<Listener>();
let parts = 0;

const change = (by: number): void => {
  parts += by;
  for (const listener of listeners) listener();
};

/** A part shows that it loads. Returns what ends it. */
export function beginLoading(): () => void {
  change(1);
  return () => change(-1);
}

export const isLoading = (): boolean => parts > 0;

export function subscribeToLoading(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
