// SPDX-License-Identifier: Apache-2.0
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Whether there is a network, requests find out themselves: what waits for it in silence looks like work.
      networkMode: 'always',
      // What the API refuses it refuses again.
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});

/** After the API was away: what failed meanwhile as well as what is old now. */
export async function readAgain(): Promise<void> {
  await queryClient.resetQueries({ predicate: ({ state }) => state.status === 'error' });
  await queryClient.invalidateQueries();
}
