import './style/tokens.css';
import './style/base.css';
import './style/ui.css';
import './style/shell.css';
import './style/fleet.css';
import './style/deployment.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ProblemError } from '@hostwright/api';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './router.tsx';
import { signInAddress } from './session/me.ts';

// a session that ended: sign in again, then back to the same page
const onError = (error: Error): void => {
  if (error instanceof ProblemError && error.status === 401 && location.pathname !== '/signin')
    location.assign(signInAddress());
};

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      gcTime: 60_000,
      refetchOnWindowFocus: false,
      // a refusal stays one; a server that is being restarted comes back
      retry: (count, error) => !(error instanceof ProblemError && error.status < 500) && count < 6,
      retryDelay: (count) => Math.min(400 * 2 ** count, 5000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
const router = createConsoleRouter(queries);

const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
