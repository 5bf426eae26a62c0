import { Suspense, useCallback, useLayoutEffect, useState } from 'react';
import type { Session } from '../../../gen/api.ts';
import { latePart } from '../ui/late-part.tsx';
import type { ShownOrganization } from './context.ts';
import { opensWith } from './shortcuts.ts';

/** Nobody waits for these: they come when somebody opens them. */
const Palette = latePart(
  'The search',
  async () => (await import('./Palette.tsx')).Palette,
  ({ open }) => open,
);
const Shortcuts = latePart(
  'The list of shortcuts',
  async () => (await import('./Shortcuts.tsx')).Shortcuts,
  ({ open }) => open,
);

export type Overlay = 'palette' | 'shortcuts';

/** What is open over the page. */
export function useOverlays() {
  const [opened, setOpened] = useState<Overlay>();
  const [used, setUsed] = useState<ReadonlySet<Overlay>>(new Set());
  const open = useCallback((overlay: Overlay) => {
    setUsed((before) => new Set([...before, overlay]));
    setOpened(overlay);
  }, []);
  // Before the page is painted: what somebody sees hears their keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const overlay = opensWith(event);
      if (overlay === undefined) return;
      event.preventDefault();
      open(overlay);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);
  const close = useCallback(
    (overlay: Overlay) => setOpened((now) => (now === overlay ? undefined : now)),
    [],
  );
  return { opened, used, open, close };
}

interface Props {
  readonly overlays: ReturnType<typeof useOverlays>;
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
}

/** The search, and the list of shortcuts. */
export const Overlays = ({ overlays, session, organization }: Props) => {
  const { opened, used, open, close } = overlays;
  return (
    <Suspense>
      {used.has('palette') && (
        <Palette
          open={opened === 'palette'}
          onClose={() => close('palette')}
          onShortcuts={() => open('shortcuts')}
          session={session}
          organization={organization}
        />
      )}
      {used.has('shortcuts') && (
        <Shortcuts open={opened === 'shortcuts'} onClose={() => close('shortcuts')} />
      )}
    </Suspense>
  );
};
