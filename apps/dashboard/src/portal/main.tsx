// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider, type AnyRouter } from '@tanstack/react-router';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { listenForSignOut } from '../api/client.ts';
import { listenForReturn } from '../api/connection.ts';
import { queryClient, readAgain } from '../app/query-client.ts';
import { ConnectionNotice } from '../ui/connection-notice.tsx';
import { Toasts } from '../ui/toast.tsx';
import { Ended } from './ended.tsx';
import { readAddress } from './opened-portal.ts';
import { sendToken } from './portal-api.ts';
import { createPortalRouter } from './portal-router.tsx';
import { applyPortalTheme } from './portal-theme.ts';
import '../styles.css';

const { sessionId, token, theme } = readAddress(location);
// Before anything else: the token stays in no address, and so in no history.
history.replaceState(history.state, '', location.pathname + location.search);
applyPortalTheme(theme);

const root = createRoot(document.getElementById('root')!);
const show = (page: ReactNode): void => root.render(<StrictMode>{page}</StrictMode>);
const end = (): void => {
  queryClient.clear();
  show(<Ended />);
};
listenForSignOut(end);
listenForReturn(() => void readAgain());

if (token === undefined) end();
else {
  sendToken(token);
  const router: AnyRouter = createPortalRouter(sessionId);
  show(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ConnectionNotice />
      <Toasts />
    </QueryClientProvider>,
  );
}
