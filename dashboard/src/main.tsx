import './styles/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { NoAnswer, ProblemError } from './data/problem-error.ts';
import { createQueryClient } from './data/query-client.ts';
import { MissingPart } from './lib/missing-part.ts';
import { reloadForNewBuild } from './lib/new-build.ts';
import { applyTheme, storedTheme } from './lib/theme.ts';
import { createAppRouter } from './router.tsx';

applyTheme(storedTheme());

/** What the service refuses, or does not send, is shown on the page; it is no mistake of the page. */
function tellMistake(error: unknown): void {
  if (error instanceof ProblemError || error instanceof NoAnswer) return;
  if (error instanceof MissingPart) return;
  reportError(error);
}

const queryClient = createQueryClient();
reloadForNewBuild(() => queryClient.isMutating() > 0);
const router = createAppRouter(queryClient);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root, { onCaughtError: tellMistake }).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
