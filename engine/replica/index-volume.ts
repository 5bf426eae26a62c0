/** Pages of the index that come back into memory to be merged with their neighbours, while everything else goes on. */
import type { PageSource } from '../log/page-reader.ts';
import type { IndexVolume } from '../ledger/transfer-index.ts';

/** A page that cannot be read has ended the process, or the file was closed: whoever asked for it goes without. */
export const indexVolume =
  (pages: PageSource): IndexVolume =>
  ({ pages: names, arrived }, tell) =>
    void pages.read(names, arrived).then(
      () => tell(true),
      () => tell(false),
    );
