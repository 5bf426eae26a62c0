/**
 * Signal that aborts after a time or with another signal. Its listener is removed afterwards: `AbortSignal.any` would leave one on
 * the process's own signal with each request.
 */
export function cutOff(timeoutMs: number, abandoning: AbortSignal) {
  const cut = new AbortController();
  let timedOut = false;
  const abandon = () => cut.abort();
  const timer = setTimeout(() => {
    timedOut = true;
    cut.abort();
  }, timeoutMs);
  if (abandoning.aborted) cut.abort();
  abandoning.addEventListener('abort', abandon);
  return {
    signal: cut.signal,
    timedOut: () => timedOut,
    release: () => {
      clearTimeout(timer);
      abandoning.removeEventListener('abort', abandon);
    },
  };
}
