/** The cache of answers, and the reaction to the end of a session. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isProblem, NoAnswer, ProblemError } from './problem-error.ts';

type Listener = () => void;

/** Whether somebody has to sign in again; the page under it keeps its input. */
class SignInNeed {
  needed = false;
  readonly #listeners = new Set<Listener>();

  set(needed: boolean): void {
    if (this.needed === needed) return;
    this.needed = needed;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export const signInNeed = new SignInNeed();

const noteError = (error: unknown): void => {
  if (isProblem(error, 'authentication_required', 'invalid_credentials', 'session_expired')) {
    signInNeed.set(true);
  } else if (error instanceof ProblemError && error.problem.status === 401) signInNeed.set(true);
};

const retriesMax = 2;
/** A longer wait is for the person to decide. */
const patienceSeconds = 20;

/** Reads are repeated when nobody answered, the service is away for a moment, or the rate of requests asks for a short wait. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  if (failures >= retriesMax) return false;
  if (error instanceof NoAnswer) return true;
  if (!(error instanceof ProblemError)) return false;
  const { problem, retryAfterSeconds = 0 } = error;
  if (retryAfterSeconds > patienceSeconds) return false;
  return problem.status === 429 || (problem.retryable && problem.status >= 500);
}

/** Milliseconds until the next try: what the service asks for, and longer with each failure. */
const retryDelay = (failures: number, error: unknown): number =>
  Math.max(
    500 * 2 ** failures,
    error instanceof ProblemError ? 1_000 * (error.retryAfterSeconds ?? 0) : 0,
  );

/** A refusal may be news: the page then shows the rights that the person has now, and the prices of today. */
const takeNews = (client: () => QueryClient) => (error: unknown) => {
  noteError(error);
  if (error instanceof ProblemError && error.problem.status === 403) {
    void client().invalidateQueries({ queryKey: ['session'] });
  }
  if (isProblem(error, 'catalog_changed')) {
    void client().invalidateQueries({ queryKey: ['catalog'] });
  }
};

export function createQueryClient(): QueryClient {
  const onError = takeNews(() => client);
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A browser that is offline may still reach a service on its own machine.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: isWorthRetrying,
        retryDelay,
      },
      // A write that cannot be sent fails at once. Kept and sent at a later time, it would surprise the person.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
