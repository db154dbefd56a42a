// SPDX-License-Identifier: Apache-2.0
import { titleOf } from './markdown.ts';
import { urlOf, type Page } from './page.ts';

export interface Navigation {
  readonly nav: readonly { readonly text: string; readonly link: string }[];
  readonly sidebar: readonly Group[];
}

interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: (Group | { readonly text: string; readonly link: string })[];
}

interface Section {
  readonly text: string;
  /** Pages by their path without `.md`, another name than their title after a colon; with a star at the end all below. */
  readonly pages: readonly (string | Section)[];
  readonly isOpen?: boolean;
}

const SECTIONS: readonly Section[] = [
  {
    text: 'Start',
    isOpen: true,
    pages: ['start', 'guides/first-hour: The first hour', 'guides/dashboard', 'repository/index: Overview'],
  },
  {
    text: 'Concepts',
    isOpen: true,
    pages: [
      'concepts/finality',
      'concepts/reorgs',
      'concepts/positions',
      'concepts/at-least-once',
      'concepts/balances',
      'concepts/assets',
      'networks',
      'glossary',
    ],
  },
  {
    text: 'For back-end developers',
    pages: [
      'guides/requests',
      'guides/lists',
      'guides/webhooks',
      'guides/receivers',
      'guides/event-data',
      'guides/certify',
      'guides/filters',
      'guides/proofs',
      'guides/statements',
      'guides/reconciliation',
      'guides/portal',
      'guides/history',
      'repository/libs/sdk/index: SDK for TypeScript',
      'repository/libs/webhook-signature/index: Signatures of webhooks',
      'repository/libs/verify/index: Verify proofs',
      'guides/cli',
      'guides/destinations',
      'guides/telegram',
      'guides/chat-services',
      'guides/email',
    ],
  },
  {
    text: 'For RPC users',
    pages: [
      'guides/rpc-gateway',
      'guides/rpc-consistency',
      'guides/rpc-nodes',
      'rules/rpc-gateway: Between tenants and nodes',
    ],
  },
  { text: 'For NATS subscribers', pages: ['guides/nats-subscribers', 'guides/nats'] },
  { text: 'For support', pages: ['guides/support'] },
  { text: 'Cookbook', pages: ['cookbook/*'] },
  {
    text: 'Reference',
    pages: [
      'reference/index',
      { text: 'API', pages: ['reference/api/*'] },
      'reference/*',
      { text: 'Problems', pages: ['apis/*', 'errors/*', 'problems/*'] },
    ],
  },
  {
    text: 'Operate',
    pages: [
      'guides/deploy',
      'guides/kubernetes',
      'guides/configuration',
      'guides/upgrade',
      'guides/operations',
      'guides/nodes',
      'guides/incidents',
      'guides/postgresql',
      'guides/standby',
      'guides/metrics',
      'guides/alerts',
      'guides/networks-of-your-own',
      'guides/hardening',
      'guides/sizing',
      'guides/growth',
      'guides/backup-and-restore',
      'guides/management',
      'guides/sign-in',
      { text: 'Runbooks', pages: ['guides/runbooks/*'] },
    ],
  },
  { text: 'Compare', pages: ['compare', 'benchmarks'] },
  { text: 'Decisions', pages: ['adr/*'] },
  {
    text: 'Change it',
    pages: ['repository/CONTRIBUTING', 'architecture', 'flow', 'rules/*', 'repository/*'],
  },
];

/**
 * Every page but the first is in the sidebar, once.
 * @throws RangeError for a page that no section names, and for a name without a page
 */
export function buildNavigation(pages: readonly Page[]): Navigation {
  const left = new Map(pages.map((page) => [page.path.replace(/\.md$/, ''), page]));
  left.delete('index');
  // What is named is not for a star.
  const named = new Set(SECTIONS.flatMap(listNames));
  const take = (entry: string): Group['items'] => {
    const [name = '', text] = entry.split(': ');
    const found = name.endsWith('/*')
      ? [...left].filter(([path]) => path.startsWith(name.slice(0, -1)) && !named.has(path))
      : [...left].filter(([path]) => path === name);
    if (found.length === 0) throw new RangeError(`expected a page ${name} for the sidebar, got none`);
    for (const [path] of found) left.delete(path);
    // A folder's own page comes first.
    found.sort(([a], [b]) => Number(b.endsWith('/index')) - Number(a.endsWith('/index')));
    return found.map(([, page]) => ({ text: text ?? titleOf(page.text), link: urlOf(page.path) }));
  };
  const toGroup = ({ text, pages: own, isOpen = false }: Section): Group => ({
    text,
    collapsed: !isOpen,
    items: own.flatMap((entry) => (typeof entry === 'string' ? take(entry) : [toGroup(entry)])),
  });
  const sidebar = SECTIONS.map(toGroup);
  if (left.size > 0)
    throw new RangeError(`expected a section of the sidebar for ${[...left.keys()].join(', ')}, got none`);
  return {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Cookbook', link: '/cookbook/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Operate', link: '/guides/deploy' },
    ],
    sidebar,
  };
}

function listNames({ pages }: Section): string[] {
  return pages.flatMap((entry) => (typeof entry === 'string' ? entry.split(': ')[0]! : listNames(entry)));
}
