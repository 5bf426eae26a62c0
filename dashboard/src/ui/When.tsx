import { fromNow, plainTime, zoneName } from '../lib/time.ts';
import { useNow, useZone } from '../shell/context.ts';

/** A time in everyday words; the hint has the exact time with its zone. */
export function When({ at }: { readonly at: string }) {
  const zone = useZone();
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${plainTime(date, zone)} ${zoneName(date, zone)}`}>
      {fromNow(date, now)}
    </time>
  );
}

/** The exact time with its zone. */
export function Exactly({ at }: { readonly at: string }) {
  const zone = useZone();
  const date = new Date(at);
  return <time dateTime={at}>{`${plainTime(date, zone)} ${zoneName(date, zone)}`}</time>;
}
