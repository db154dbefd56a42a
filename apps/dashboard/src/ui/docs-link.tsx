// SPDX-License-Identifier: Apache-2.0
import { BookOpen } from 'lucide-react';
import type { ReactNode } from 'react';

/** A page of the documentation that the same gateway serves, in a tab of its own. @param page `guides/webhooks` */
export function DocsLink({ page, children }: { readonly page: string; readonly children: ReactNode }) {
  return (
    <a
      href={`/docs/${page}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1.5 text-[13px] font-medium text-accent-ink hover:underline"
    >
      <BookOpen aria-hidden className="size-3.5" />
      {children}
    </a>
  );
}
