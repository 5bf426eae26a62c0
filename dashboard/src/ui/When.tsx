import { fromNow, plainTime, zoneName } from '../lib/time.ts';
import { useNow, useZone } from '../shell/context.ts';

/** A time in everyday words; the hint has the exact time with its zone. */
export function When({ at }: { readonly at: string }) {
  const exactTime = useExactTime();
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {fromNow(new Date(at), now)}
    </time>
  );
}

/** The exact time with its zone. */
export function Exactly({ at }: { readonly at: string }) {
  const exactTime = useExactTime();
  return <time dateTime={at}>{exactTime(at)}</time>;
}

/** Returns what writes a time exactly, with its zone. */
export function useExactTime(): (at: string) => string {
  const zone = useZone();
  return (at) => {
    const date = new Date(at);
    return `${plainTime(date, zone)} ${zoneName(date, zone)}`;
  };
}
