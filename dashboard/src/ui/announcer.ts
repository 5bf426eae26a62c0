/** Short messages about what has just happened: shown for a while, and read out in one polite region. */
type Listener = () => void;

interface Message {
  readonly id: number;
  readonly text: string;
}

const shownMs = 5_000;
const listeners = new Set<Listener>();
let last = 0;
let messages: readonly Message[] = [];

const change = (next: readonly Message[]): void => {
  messages = next;
  for (const listener of listeners) listener();
};

export function say(text: string): void {
  last += 1;
  const id = last;
  change([...messages.slice(-2), { id, text }]);
  setTimeout(() => change(messages.filter((one) => one.id !== id)), shownMs);
}

export const announced = (): readonly Message[] => messages;

export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
