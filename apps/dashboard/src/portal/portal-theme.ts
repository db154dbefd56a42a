// SPDX-License-Identifier: Apache-2.0
/** As the page around it wants it, else as the browser does. Kept nowhere: a frame may have no storage. */
export function applyPortalTheme(chosen: 'light' | 'dark' | undefined): void {
  const isDark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    document.documentElement.dataset.theme = chosen ?? (isDark.matches ? 'dark' : 'light');
  };
  apply();
  isDark.addEventListener('change', apply);
}
