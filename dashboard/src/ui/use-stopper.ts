import { useEffect, useRef } from 'react';

/** Stops the requests of a long piece of work: when the person says so, and when the page is left. */
export function useStopper() {
  const current = useRef(new AbortController());
  useEffect(() => () => current.current.abort(), []);
  return {
    /** The signal of work that begins now. */
    begin: (): AbortSignal => {
      current.current = new AbortController();
      return current.current.signal;
    },
    stop: () => current.current.abort(),
    wasStopped: (): boolean => current.current.signal.aborted,
  };
}
