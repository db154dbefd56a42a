// SPDX-License-Identifier: Apache-2.0
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouterState, Link } from '@tanstack/react-router';
import { BookOpen, Menu, Search, X } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { useLiveEvents } from '../api/live.ts';
import { MayContext, mayOf, sessionQuery, useProject } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Waiting } from '../ui/notice.tsx';
import { AccountMenu } from './account-menu.tsx';
import { preloadPages } from './lazy-page.tsx';
import { Logo } from './logo.tsx';
import { SearchDialog } from './search-dialog.tsx';
import { SEARCH_KEY } from './shortcut.ts';
import { usePlaces, type Place } from './places.ts';

/** So long the first page has the network for itself. */
const FIRST_PAGE_MS = 3_000;

/** What stands around every page: navigation, search and who is signed in. */
export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const project = useProject(session);
  const may = mayOf(session);
  const stream = useLiveEvents(may('api:event:read'), project?.id);
  const live = useConnection() === 'away' && stream === 'live' ? 'connecting' : stream;
  const [isSearching, setSearching] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [path]);
  useEffect(() => listenForShortcut(() => setSearching(true)), []);
  useEffect(() => {
    const timer = setTimeout(preloadPages, FIRST_PAGE_MS);
    return () => clearTimeout(timer);
  }, []);
  const openSearch = (): void => setSearching(true);
  return (
    <MayContext value={may}>
      <div className="lg:pl-60">
        <a
          href="#content"
          className="absolute top-2 left-2 z-50 -translate-y-20 rounded bg-accent px-3 py-1.5 text-white focus:translate-y-0"
        >
          Skip to the content
        </a>
        <TopBar isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} onSearch={openSearch} />
        <aside
          aria-label="Navigation"
          className={classes(
            'fixed inset-y-0 left-0 z-20 w-60 flex-col gap-4 border-r border-line bg-panel px-3 pt-4 pb-3 max-lg:top-13 max-lg:w-full',
            isMenuOpen ? 'flex' : 'hidden lg:flex',
          )}
        >
          <div className="px-2 max-lg:hidden">
            <Logo />
          </div>
          <button
            type="button"
            onClick={openSearch}
            className="flex h-8.5 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-[13px] text-faint hover:border-line-strong"
          >
            <Search aria-hidden className="size-4" />
            Search
            <kbd className="ml-auto rounded border border-line px-1 font-sans text-[11px]">{SEARCH_KEY}</kbd>
          </button>
          <Navigation />
          <a
            href="/docs/"
            target="_blank"
            rel="noreferrer"
            className="flex h-8.5 items-center gap-2.5 rounded-md px-2.5 text-[13px] font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
          >
            <BookOpen aria-hidden className="size-4" />
            Documentation
          </a>
          <AccountMenu session={session} project={project} live={live} />
        </aside>
        <main id="content" tabIndex={-1} className="outline-none lg:min-h-dvh" key={project?.id}>
          <Suspense fallback={<Waiting rows={8} />}>
            <Outlet />
          </Suspense>
        </main>
        {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
      </div>
    </MayContext>
  );
}

interface TopBarProps {
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onSearch: () => void;
}

/** Where the screen is small. */
function TopBar({ isMenuOpen, onMenu, onSearch }: TopBarProps) {
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-panel px-3 lg:hidden">
      <Button
        look="quiet"
        aria-label={isMenuOpen ? 'Close the navigation' : 'Open the navigation'}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
        icon={isMenuOpen ? <X aria-hidden className="size-5" /> : <Menu aria-hidden className="size-5" />}
      />
      <Logo />
      <Button
        look="quiet"
        aria-label="Search"
        className="ml-auto"
        onClick={onSearch}
        icon={<Search aria-hidden className="size-4.5" />}
      />
    </header>
  );
}

/** ⌘K or Ctrl K anywhere, and `/` where nothing is being written. */
function listenForShortcut(open: () => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const isWriting = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const isAsked =
      ((event.metaKey || event.ctrlKey) && event.key === 'k') || (event.key === '/' && !isWriting);
    if (!isAsked) return;
    event.preventDefault();
    open();
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

function Navigation() {
  return (
    <nav aria-label="Pages" className="flex flex-1 flex-col gap-3 overflow-y-auto">
      {usePlaces().map((group) => (
        <ul key={group[0]!.to} className="flex flex-col gap-0.5">
          {group.map((place) => (
            <PlaceLink key={place.to} place={place} />
          ))}
        </ul>
      ))}
    </nav>
  );
}

function PlaceLink({ place: { to, name, icon: Icon } }: { readonly place: Place }) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: to === '/' }}
        className="flex h-8.5 items-center gap-2.5 rounded-md px-2.5 text-[13px] font-medium text-soft transition-colors hover:bg-hover hover:text-ink"
        activeProps={{ className: 'bg-accent-wash !text-accent-ink' }}
      >
        <Icon aria-hidden className="size-4" />
        {name}
      </Link>
    </li>
  );
}
