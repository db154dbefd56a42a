import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ArrowLeftRight, Bell, LoaderCircle, Search, Send, Truck, Wallet } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { searchQuery, type Found as SearchHit } from '../api/queries.ts';
import { classes } from '../ui/classes.ts';
import { shorten } from '../ui/copy.tsx';
import { Problem } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const ICONS: Readonly<Record<SearchHit['type'], LucideIcon>> = {
  address: Wallet,
  transaction: ArrowLeftRight,
  event: Bell,
  delivery: Truck,
  channel: Send,
};

/** One box for everything: what is found is chosen with the arrows and opened with Enter. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const wanted = useDeferredValue(text.trim());
  const found = useQuery({ ...searchQuery(wanted), placeholderData: keepPreviousData });
  const router = useRouter();
  const hits = wanted === '' ? [] : (found.data ?? []);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  useEffect(() => setChosen(0), [wanted]);
  const open = (hit: SearchHit | undefined): void => {
    if (hit === undefined) return;
    onClose();
    router.history.push(`/ui${pathOf(hit)}`);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at) => Math.max(0, Math.min(hits.length - 1, at + step)));
    } else if (event.key === 'Enter') open(hits[chosen]);
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
        {found.isFetching ? (
          <LoaderCircle aria-hidden className="size-4 animate-spin text-faint" />
        ) : (
          <Search aria-hidden className="size-4 text-faint" />
        )}
        <input
          autoFocus
          role="combobox"
          aria-label="Search"
          aria-expanded={hits.length > 0}
          aria-controls="search-hits"
          aria-activedescendant={hits[chosen] && `hit-${chosen}`}
          placeholder="Address, hash, event, delivery or label"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
        />
        <kbd className="rounded border border-line px-1.5 py-0.5 font-sans text-[11px] text-faint">esc</kbd>
      </div>
      <ul
        id="search-hits"
        role="listbox"
        aria-label="What was found"
        className="max-h-[50dvh] overflow-y-auto p-1.5 empty:hidden"
      >
        {hits.map((hit, index) => (
          <Hit
            key={`${hit.type} ${hit.id}`}
            hit={hit}
            id={`hit-${index}`}
            isChosen={index === chosen}
            onPoint={() => setChosen(index)}
            onOpen={() => open(hit)}
          />
        ))}
      </ul>
      <SearchNote
        wanted={wanted}
        error={found.error}
        isNothing={hits.length === 0 && found.isFetched && !found.isFetching}
      />
    </dialog>
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
        <p>Paste what a customer sent you: it is found whole or in part.</p>
      ) : isNothing ? (
        <p>
          Nothing of this project is called <b className="break-all">{shorten(wanted)}</b>. A payment shows up
          once one of its addresses is monitored.
        </p>
      ) : null}
    </div>
  );
}

interface HitProps {
  readonly hit: SearchHit;
  readonly id: string;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onOpen: () => void;
}

function Hit({ hit, id, isChosen, onPoint, onOpen }: HitProps) {
  const Icon = ICONS[hit.type];
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onPointerMove={onPoint}
      onClick={onOpen}
      className={classes('flex items-center gap-3 rounded-lg px-3 py-2', isChosen && 'bg-accent-wash')}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[13px] font-medium">{hit.label ?? shorten(hit.title)}</span>
        <span className="block truncate text-xs text-soft">
          <span className="capitalize">{hit.type}</span>
          {hit.label !== null && ` · ${shorten(hit.title)}`} · <Time at={hit.created_at} />
        </span>
      </span>
      {hit.status !== null && <Status of={hit.status} />}
    </li>
  );
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
