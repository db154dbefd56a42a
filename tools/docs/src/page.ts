// SPDX-License-Identifier: Apache-2.0
export interface Page {
  /** Within the site: `guides/webhooks.md`; a folder's own page is `adr/index.md`. */
  readonly path: string;
  readonly text: string;
  /** Of the page's file in the repository; none: it was generated. */
  readonly source?: string;
}

/** `guides/webhooks.md` → `/guides/webhooks`, `adr/index.md` → `/adr/`. */
export function urlOf(path: string): string {
  return `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
}
