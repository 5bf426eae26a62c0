import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { sessionQuery } from '../data/queries.ts';
import { signInNeed } from '../data/query-client.ts';
import { buttonClass } from '../ui/Button.tsx';
import { Dialog, DialogButtons } from '../ui/Dialog.tsx';

/** The session has ended: the person signs in on another tab, and the page keeps their input. */
export function SignInAgain() {
  const needed = useSyncExternalStore(signInNeed.subscribe, () => signInNeed.needed);
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!needed) return undefined;
    const look = async () => {
      try {
        await queryClient.fetchQuery({ ...sessionQuery(), staleTime: 0 });
        signInNeed.set(false);
        await queryClient.invalidateQueries();
      } catch {
        // Still signed out: the dialog stays.
      }
    };
    const onFocus = () => void look();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [needed, queryClient]);
  return (
    <Dialog
      open={needed}
      onClose={() => signInNeed.set(false)}
      title="Your session has ended"
      about="Sign in on another tab, then come back here. This page keeps what you typed; nothing was changed."
    >
      <DialogButtons>
        <a
          className={buttonClass('main')}
          href="/auth/login?returnTo=/account"
          target="_blank"
          rel="opener"
        >
          Sign in
        </a>
      </DialogButtons>
    </Dialog>
  );
}
