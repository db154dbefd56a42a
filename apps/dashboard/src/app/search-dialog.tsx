// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  ArrowLeftRight,
  Bell,
  LoaderCircle,
  Search,
  Send,
  Truck,
  Wallet,
  type LucideIcon,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Sun,
  Upload,
} from 'lucide-react';
import { useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react';
import { searchQuery, type Found as SearchHit } from '../api/queries.ts';
import { classes } from '../ui/classes.ts';
import { shorten } from '../ui/copy.tsx';
import { Problem } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { matchCommands } from './match-commands.ts';
import { useMay } from '../api/session.ts';
import { usePlaces } from './places.ts';
import { chooseTheme } from './theme.ts';
import { useLeave } from './use-leave.ts';

const ICONS: Readonly<Record<SearchHit['type'], LucideIcon>> = {
  address: Wallet,
  transaction: ArrowLeftRight,
  event: Bell,
  delivery: Truck,
  channel: Send,
};

/** What Enter opens: a page or an action, or what the API found. */
type Option = { readonly command: Command } | { readonly hit: SearchHit };

/** One box for everything: what is offered and found is chosen with the arrows and opened with Enter. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const wanted = useDeferredValue(text.trim());
  const found = useQuery({ ...searchQuery(wanted), placeholderData: keepPreviousData });
  const router = useRouter();
  // Commands follow each key at once: Enter never opens what an earlier text offered.
  const options = useOptions(text.trim(), found.data ?? []);
  useShown(ref, chosen);
  const write = (next: string): void => {
    setText(next);
    setChosen(0);
  };
  const open = (option: Option | undefined): void => {
    if (option === undefined) return;
    onClose();
    if ('command' in option) option.command.run();
    else router.history.push(`/ui${pathOf(option.hit)}`);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at) => Math.max(0, Math.min(options.length - 1, at + step)));
    } else if (event.key === 'Enter') open(options[chosen]);
  };
  return (
    <dialog
      ref={ref}
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-xl overflow-hidden rounded-xl border border-line bg-raised p-0 shadow-lifted open:animate-[rise_0.12s_ease-out]"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <SearchIcon isBusy={found.isFetching} />
        <input
          autoFocus
          role="combobox"
          aria-label="Search"
          aria-expanded={options.length > 0}
          aria-controls="search-hits"
          aria-activedescendant={options[chosen] && `hit-${chosen}`}
          placeholder="Address, hash, event, label, or page"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKey}
          className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
        />
        <kbd className="rounded border border-line px-1.5 py-0.5 font-sans text-[11px] text-faint">esc</kbd>
      </div>
      <ul
        id="search-hits"
        role="listbox"
        aria-label="Results"
        className="max-h-[50dvh] overflow-y-auto p-1.5 empty:hidden"
      >
        {options.map((option, index) => (
          <OptionLine
            key={'command' in option ? option.command.title : `${option.hit.type} ${option.hit.id}`}
            option={option}
            id={`hit-${index}`}
            isChosen={index === chosen}
            onPoint={() => setChosen(index)}
            onOpen={() => open(option)}
          />
        ))}
      </ul>
      <SearchNote
        wanted={wanted}
        error={found.error}
        isNothing={options.length === 0 && found.isFetched && !found.isFetching}
      />
    </dialog>
  );
}

/** Opens the dialog, and keeps the chosen line within what is seen. */
function useShown(ref: RefObject<HTMLDialogElement | null>, chosen: number): void {
  useEffect(() => {
    ref.current?.showModal();
  }, [ref]);
  useEffect(() => {
    // Browsers may answer with a promise, which is no clean-up.
    void document.getElementById(`hit-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
}

function SearchIcon({ isBusy }: { readonly isBusy: boolean }) {
  return isBusy ? (
    <LoaderCircle aria-hidden className="size-4 animate-spin text-faint" />
  ) : (
    <Search aria-hidden className="size-4 text-faint" />
  );
}

function useOptions(text: string, found: readonly SearchHit[]): readonly Option[] {
  const commands = matchCommands(useCommands(), text);
  const hits = text === '' ? [] : found;
  return [...commands.map((command) => ({ command })), ...hits.map((hit) => ({ hit }))];
}

interface OptionLineProps {
  readonly option: Option;
  readonly id: string;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onOpen: () => void;
}

function OptionLine({ option, id, isChosen, onPoint, onOpen }: OptionLineProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onPointerMove={onPoint}
      onClick={onOpen}
      className={classes('flex items-center gap-3 rounded-lg px-3 py-2', isChosen && 'bg-accent-wash')}
    >
      {'command' in option ? <CommandLine command={option.command} /> : <HitLine hit={option.hit} />}
    </li>
  );
}

interface SearchNoteProps {
  readonly wanted: string;
  readonly error: unknown;
  readonly isNothing: boolean;
}

function SearchNote({ wanted, error, isNothing }: SearchNoteProps) {
  return (
    <div aria-live="polite" className="text-[13px] text-soft empty:hidden [&>p]:px-4 [&>p]:py-5">
      {error && wanted !== '' ? (
        <div className="p-3">
          <Problem error={error} />
        </div>
      ) : wanted === '' ? (
        <p>
          Search by address, hash, event ID, delivery ID, or label. The first 6 characters of a hash are
          enough.
        </p>
      ) : isNothing ? (
        <p>
          No results for “<span className="break-all">{shorten(wanted)}</span>” in this project.
        </p>
      ) : null}
    </div>
  );
}

function CommandLine({ command: { title, about, icon: Icon } }: { readonly command: Command }) {
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate text-[13px] font-medium">{title}</span>
      <span className="text-xs text-soft">{about}</span>
    </>
  );
}

function HitLine({ hit }: { readonly hit: SearchHit }) {
  const Icon = ICONS[hit.type];
  const title = nameOf(hit);
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[13px] font-medium">{hit.label ?? title}</span>
        <span className="block truncate text-xs text-soft">
          <span className="capitalize">{hit.type}</span>
          {hit.label !== null && ` · ${title}`} · <Time at={hit.created_at} />
        </span>
      </span>
      {hit.status !== null && <Status of={hit.status} />}
    </>
  );
}

/** The middle of an address or a hash is left out; names and types of events are whole. */
function nameOf({ type, title }: SearchHit): string {
  return type === 'address' || type === 'transaction' ? shorten(title) : title;
}

function pathOf({ type, id, title, channel_id }: SearchHit): string {
  switch (type) {
    case 'address':
      return `/addresses/${encodeURIComponent(title)}`;
    case 'transaction':
      return `/transactions/${id}`;
    case 'event':
      return `/events/${id}`;
    case 'delivery':
      return `/channels/${channel_id}/deliveries/${id}`;
    case 'channel':
      return `/channels/${id}`;
  }
}

/** What the search box offers beside what it finds: a page to go to, or something to do. */
interface Command {
  readonly title: string;
  readonly about: 'Page' | 'Action';
  readonly icon: LucideIcon;
  /** Other words for it. */
  readonly words?: string;
  readonly run: () => void;
}

/** Those that the session may use. */
function useCommands(): readonly Command[] {
  const router = useRouter();
  const may = useMay();
  const leave = useLeave();
  const pages = usePlaces()
    .flat()
    .map(
      ({ to, name, icon }): Command => ({
        ...{ title: name, about: 'Page', icon, run: () => void router.navigate({ to }) },
      }),
    );
  const open = (to: '/addresses' | '/channels', dialog: 'add' | 'import') => (): void =>
    void router.navigate({ to, state: { dialog } });
  const act = (command: Omit<Command, 'about'>): Command => ({ ...command, about: 'Action' });
  return [
    ...pages,
    ...(may('api:address:write')
      ? [
          act({
            title: 'Add address',
            icon: Plus,
            words: 'new monitor watch',
            run: open('/addresses', 'add'),
          }),
          act({
            title: 'Import addresses',
            icon: Upload,
            words: 'csv file',
            run: open('/addresses', 'import'),
          }),
        ]
      : []),
    ...(may('api:notification_channel:write')
      ? [act({ title: 'Add channel', icon: Plus, words: 'new webhook', run: open('/channels', 'add') })]
      : []),
    act({ title: 'Light theme', icon: Sun, words: 'appearance', run: () => chooseTheme('light') }),
    act({ title: 'Dark theme', icon: Moon, words: 'appearance', run: () => chooseTheme('dark') }),
    act({ title: 'System theme', icon: Monitor, words: 'appearance', run: () => chooseTheme('system') }),
    act({ title: 'Sign out', icon: LogOut, words: 'log out', run: () => void leave() }),
  ];
}
