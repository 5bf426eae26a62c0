/** Reads the whole answer of a read, with the pages from the volume that it needs. */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';

/** The answer is valid until the ledger's next read. */
export async function readWhole(
  { ledger, pages }: { readonly ledger: StateMachine; readonly pages: PageSource },
  operation: number,
  body: Uint8Array,
): Promise<Uint8Array> {
  const read = ledger.beginRead(operation, body);
  for (let step; (step = read.step(Infinity)) !== true;)
    if (step !== false) await pages.read(step.pages, step.arrived);
  return read.finish();
}
