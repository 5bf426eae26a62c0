/** Pages of the index that come back into memory to be merged with their neighbours, while everything else goes on. */
import type { PageSource } from '../log/page-reader.ts';
import type { IndexVolume } from '../ledger/row-index.ts';

/** Reads pages of the index. If a page cannot be read, the process has ended or the file was closed, so the request gets no answer. */
export const indexVolume =
  (pages: PageSource): IndexVolume =>
  ({ pages: names, arrived }, tell) =>
    void pages.read(names, arrived).then(
      () => tell(true),
      () => tell(false),
    );
