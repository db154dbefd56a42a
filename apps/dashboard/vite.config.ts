// SPDX-License-Identifier: Apache-2.0
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `vite` alone serves the sources, with the API of a stack that `npm start` started (API_URL, default its port). */
export default defineConfig({
  base: '/ui/',
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2022',
    // The API gateway's policy allows no inline script, and images alone from data URLs.
    assetsInlineLimit: 0,
    // The dashboard, and the page of a portal session.
    rollupOptions: { input: ['index.html', 'portal.html'] },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: { '/v1': process.env.API_URL ?? 'http://127.0.0.1:8080' } },
});
