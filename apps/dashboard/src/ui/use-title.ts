// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, type RefObject } from 'react';

const PRODUCT = 'chainwatch';

/** The title of the tab is the heading of the page (WCAG 2.4.2). @returns the ref of the heading */
export function useTitle(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // After every render: what a heading says comes with the answer of the API.
  useEffect(() => {
    document.title = titleOf(heading.current);
  });
  useEffect(() => () => void (document.title = PRODUCT), []);
  return heading;
}

/** Parts of a heading, such as a name and its status, with a space between. */
function titleOf(heading: HTMLElement | null): string {
  const parts: string[] = [];
  const walker = heading && document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
  while (walker?.nextNode()) parts.push(walker.currentNode.textContent?.trim() ?? '');
  const text = parts.filter(Boolean).join(' ');
  return text === '' ? PRODUCT : `${text} · ${PRODUCT}`;
}
