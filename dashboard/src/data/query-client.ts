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

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: noteError }),
    mutationCache: new MutationCache({ onError: noteError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < retriesMax &&
          (error instanceof NoAnswer ||
            (error instanceof ProblemError &&
              error.problem.retryable &&
              error.problem.status >= 500)),
        retryDelay: (failures) => 500 * 2 ** failures,
      },
      mutations: { retry: false },
    },
  });
