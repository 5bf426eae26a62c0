import './styles/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './data/query-client.ts';
import { reloadForNewBuild } from './lib/new-build.ts';
import { applyTheme, storedTheme } from './lib/theme.ts';
import { createAppRouter } from './router.tsx';

applyTheme(storedTheme());
reloadForNewBuild();

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
