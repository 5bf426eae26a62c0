import { Suspense, useState } from 'react';
import { latePart } from '../../../ui/late-part.tsx';
import { Skeleton } from '../../../ui/States.tsx';
import type { ExplorerSearch } from '../search.ts';

const SavedList = latePart(
  'The saved queries',
  async () => (await import('./SavedList.tsx')).SavedList,
);

interface Props {
  /** What the form of the page asks for. */
  readonly search: ExplorerSearch;
  readonly onRun: (search: ExplorerSearch) => void;
}

/** The queries that members saved for this database, read when somebody looks. */
export function SavedQueries(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Saved queries</summary>
      {open && (
        <Suspense fallback={<Skeleton lines={2} />}>
          <SavedList {...props} />
        </Suspense>
      )}
    </details>
  );
}
