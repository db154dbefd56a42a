// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider, type AnyRouter } from '@tanstack/react-router';
import { TimerOff } from 'lucide-react';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { listenForSignOut } from '../api/client.ts';
import { listenForReturn } from '../api/connection.ts';
import { queryClient, readAgain } from '../app/query-client.ts';
import { ConnectionNotice } from '../ui/connection-notice.tsx';
import { Empty } from '../ui/notice.tsx';
import { Toasts } from '../ui/toast.tsx';
import { readAddress, sendToken } from './portal-session.ts';
import { createPortalRouter } from './portal-router.tsx';
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

/** As the page around it wants it, else as the browser does. Kept nowhere: a frame may have no storage. */
function applyPortalTheme(chosen: 'light' | 'dark' | undefined): void {
  const isDark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    document.documentElement.dataset.theme = chosen ?? (isDark.matches ? 'dark' : 'light');
  };
  apply();
  isDark.addEventListener('change', apply);
}

/** In place of everything: there is no token, or nothing is behind it any more. */
function Ended() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <div>
        <h1 className="sr-only">Notifications</h1>
        <Empty icon={<TimerOff />} title="This page has expired">
          Pages stay open for a limited time. Go back to the previous page, or reload it, to open this page
          again.
        </Empty>
      </div>
    </main>
  );
}
