/**
 * A module that is loaded into an engine first (`--import`). It shifts the engine's date by the milliseconds in the file that
 * CHAOS_CLOCK names. Dates are the engine's only use of the machine's clock. `faketime` would not do: it intercepts the
 * clock of Node's event loop too, and does not reach etcd, a static Go program.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CHAOS_CLOCK'] ?? ''; // oxlint-disable-line node/no-process-env -- no configuration: it comes before all of the program
const now = Date.now.bind(Date);
let offsetMs = 0;
const look = (): void => {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
};
look();
setInterval(look, 20).unref();
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[]) =>
    Reflect.construct(target, args.length === 0 ? [now() + offsetMs] : args) as object,
  get: (target, name) => (name === 'now' ? () => now() + offsetMs : Reflect.get(target, name)),
});
