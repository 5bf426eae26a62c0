import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { sessionQuery } from '../data/queries.ts';
import { signInNeed } from '../data/query-client.ts';

export const signInAddress = '/auth/login?returnTo=/account';

/** Whether the session has ended. When the person comes back from another tab, it is looked at again. */
export function useSignInNeed(): boolean {
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
        // Still signed out: the question stays.
      }
    };
    const onFocus = () => void look();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [needed, queryClient]);
  return needed;
}
