// SPDX-License-Identifier: Apache-2.0
import { buildExplorerUrl, type Explored } from '@chainwatch/chain-core/explorer-url';
import type { MessageLink } from './message.ts';
import type { EventContext } from './name-book.ts';

interface Pages {
  /** Of the dashboard: `transactions/6f1d…`. */
  readonly page: string;
  /** What the page shows. */
  readonly name: string;
  /** Of a block explorer. */
  readonly explored?: { readonly chainGid: string; readonly about: Explored };
}

/** Pages of the dashboard and of a block explorer. None for test messages: nothing happened. */
export function listLinks(
  { names, projectId, isTest }: EventContext,
  { page, name, explored }: Pages,
): MessageLink[] {
  if (isTest) return [];
  const { publicUrl } = names;
  const explorer =
    explored && buildExplorerUrl(names.findNetwork(explored.chainGid)?.explorer, explored.about);
  return [
    ...(publicUrl === undefined
      ? []
      : [{ text: `View ${name}`, url: `${publicUrl}/ui/${page}?project=${projectId}` }]),
    ...(explorer === undefined ? [] : [{ text: 'View in explorer', url: explorer }]),
  ];
}
