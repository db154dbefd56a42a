// SPDX-License-Identifier: Apache-2.0
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A dialog that the page opens when it is reached. */
    dialog?: 'add' | 'import';
  }
}

/** Opens what the search box asked this page for, once. */
export function useDialogRequest(open: (dialog: 'add' | 'import') => void): void {
  const router = useRouter();
  const dialog = useRouterState({ select: ({ location }) => location.state.dialog });
  useEffect(() => {
    if (dialog === undefined) return;
    open(dialog);
    // Neither a reload nor a step back opens it again.
    const { href, state } = router.history.location;
    router.history.replace(href, { ...state, dialog: undefined });
  }, [dialog]);
}
