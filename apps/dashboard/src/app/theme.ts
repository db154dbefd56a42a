// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';

const KEY = 'chainwatch.theme';
const isDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Before the first paint: the page is drawn by scripts alone. */
export function applyTheme(): void {
  const theme = readTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (isDark.matches ? 'dark' : 'light') : theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

isDark.addEventListener('change', applyTheme);

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
}
