import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Milliseconds for which an answer is shown again without asking. */
const freshMs = 30_000;
/** How often a question is asked again; each time later. */
const maxRetries = 2;

/** Asks again only what changes nothing, and only where that may help. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      retry: (count, error) => count < maxRetries && error instanceof ApiError && error.isTransient,
      retryDelay: (count) => 500 * 2 ** count,
      refetchOnWindowFocus: false,
      // The browser does not always know whether it is online; an attempt tells.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
