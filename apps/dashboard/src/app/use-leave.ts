// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { signOut } from '../api/session.ts';
import { tellProblem } from '../ui/toast.tsx';

/** Ends the session. */
export function useLeave(): () => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return tellProblem(error as Error);
    }
    client.clear();
    await router.navigate({ to: '/sign-in', search: {} });
  };
}
