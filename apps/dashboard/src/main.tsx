// SPDX-License-Identifier: Apache-2.0
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import { ConnectionNotice } from './ui/connection-notice.tsx';
import { Toasts } from './ui/toast.tsx';
import './styles.css';

applyTheme();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ConnectionNotice />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
