// SPDX-License-Identifier: Apache-2.0
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck, X, Copy } from 'lucide-react';
import { useState, type ReactNode, useId } from 'react';
import { channelsQuery, statsQuery, type Stats } from '../../api/queries.ts';
import { chooseProject, sessionQuery, useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TestButton } from '../channels/test-button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { SNIPPETS } from './snippets.ts';

const HIDDEN = 'chainwatch.first-steps-hidden';
/** The steps are done in other windows: they tick soon after. */
const LOOK_MS = 3_000;
const LINK = 'font-medium text-accent-ink hover:underline';

/** From nothing to the first verified event, until all of it is done or the reader hides it. */
export function FirstSteps() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const project = chooseProject(session)?.id ?? '';
  const [hidden, setHidden] = useState(readHidden);
  const isHidden = hidden.includes(project);
  const stats = useQuery({ ...statsQuery, refetchInterval: isHidden ? false : LOOK_MS });
  const done = stats.data && listSteps(stats.data);
  if (isHidden || done === undefined || Object.values(done).every(Boolean)) return null;
  const hide = (): void => {
    const all = [...hidden, project];
    localStorage.setItem(HIDDEN, JSON.stringify(all));
    setHidden(all);
  };
  const count = Object.values(done).filter(Boolean).length;
  return (
    <Panel
      title={`First steps · ${count} of 4 done`}
      aside={
        <Button
          look="quiet"
          isSmall
          icon={<X aria-hidden className="size-3.5" />}
          aria-label="Hide first steps"
          onClick={hide}
        />
      }
    >
      <ol aria-label="First steps" className="flex flex-col gap-4">
        <Step title="Add an address" isDone={done.address}>
          <AddressStep />
        </Step>
        <Step title="Add a webhook channel to your receiver" isDone={done.channel}>
          <ChannelStep />
        </Step>
        <Step title="Send a test event" isDone={done.event}>
          <EventStep playgroundUrl={session.playground_url} />
        </Step>
        <Step title="Verify the first event in your own program" isDone={done.verified}>
          <p className="mb-2">
            This receiver verifies the signature, prints the event, and answers 2xx. Then this step is done.
          </p>
          <ReceiverSnippet />
        </Step>
      </ol>
      <p className="mt-4">
        <DocsLink page="start">Start in 5 minutes</DocsLink>
      </p>
    </Panel>
  );
}

type StepName = 'address' | 'channel' | 'event' | 'verified';

/** What of the first steps the project has done, by the API's figures; undefined: they do not show it to this session. */
export function listSteps({
  address_count,
  channels,
  deliveries,
}: Pick<Stats, 'address_count' | 'channels' | 'deliveries'>):
  | Readonly<Record<StepName, boolean>>
  | undefined {
  if (address_count === null || channels === null || deliveries === null) return undefined;
  const sent = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  return {
    address: address_count > 0,
    channel: channels.active + channels.failing + channels.failed > 0,
    event: sent > 0,
    verified: deliveries.delivered > 0,
  };
}

function readHidden(): readonly string[] {
  return JSON.parse(localStorage.getItem(HIDDEN) ?? '[]') as string[];
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

/** What to do is shown until it is done. */
function Step({ title, isDone, children }: StepProps) {
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex min-w-0 items-start gap-3 text-[13px]">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-ok' : 'text-faint'}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {title}
          <span className="sr-only">{isDone ? ', done' : ', to do'}</span>
        </p>
        {!isDone && <div className="mt-1 text-soft">{children}</div>}
      </div>
    </li>
  );
}

function AddressStep() {
  const mayAdd = useMay()('api:address:write');
  return (
    <>
      Monitoring starts as soon as you add it.{' '}
      {mayAdd && (
        <Link to="/addresses" state={{ dialog: 'add' }} className={LINK}>
          Add address
        </Link>
      )}
    </>
  );
}

function ChannelStep() {
  const mayAdd = useMay()('api:notification_channel:write');
  return (
    <>
      The channel has the signing secret that your receiver needs.{' '}
      {mayAdd && (
        <Link to="/channels" state={{ dialog: 'add' }} className={LINK}>
          Add channel
        </Link>
      )}
    </>
  );
}

function EventStep({ playgroundUrl }: { readonly playgroundUrl: string | null }) {
  const may = useMay();
  const { data } = useQuery(channelsQuery);
  const channel = data?.items.find(({ is_archived: isArchived }) => !isArchived);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {channel === undefined ? (
        <span>Add a channel first.</span>
      ) : (
        may('api:notification_channel:write') && <TestButton channelId={channel.id} />
      )}
      {playgroundUrl !== null && may('api:address:write') && (
        <Link to="/playground" className={LINK}>
          Send a test payment
        </Link>
      )}
    </div>
  );
}

/** The reader's own receiver, in a language of the reader's. */
function ReceiverSnippet() {
  const id = useId();
  const [at, setAt] = useState(0);
  const { text, file } = SNIPPETS[at]!;
  const onKey = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + SNIPPETS.length) % SNIPPETS.length;
    setAt(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-sunken px-2 py-1.5">
        <div role="tablist" aria-label="Languages" className="flex flex-wrap" onKeyDown={onKey}>
          {SNIPPETS.map(({ language }, index) => (
            <button
              key={language}
              type="button"
              role="tab"
              id={`${id}-tab-${index}`}
              aria-selected={index === at}
              aria-controls={`${id}-panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => setAt(index)}
              className={classes(
                'h-7 rounded px-2 text-xs font-medium',
                index === at ? 'bg-panel text-ink' : 'text-soft hover:text-ink',
              )}
            >
              {language}
            </button>
          ))}
        </div>
        <CopyAction isSmall text={text} icon={Copy}>
          Copy code
        </CopyAction>
      </div>
      <pre
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${at}`}
        tabIndex={0}
        className="max-h-72 overflow-auto bg-panel p-3 font-mono text-xs"
      >
        {text}
      </pre>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3 py-2 text-xs text-soft">
        <span>
          Save as <code className="font-mono">{file}</code> and set{' '}
          <code className="font-mono">CHAINWATCH_WEBHOOK_SECRET</code> to the signing secret of the channel.
        </span>
        <DocsLink page="guides/receivers">More receivers</DocsLink>
      </p>
    </div>
  );
}
