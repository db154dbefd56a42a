// SPDX-License-Identifier: Apache-2.0
import * as Menu from '@radix-ui/react-dropdown-menu';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Check, ChevronsUpDown, LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LiveState } from '../api/live.ts';
import { rememberProject, rememberWorkspace, sessionQuery, type Session } from '../api/session.ts';
import { Dot, toWords } from '../ui/status.tsx';
import { chooseTheme, useTheme, type Theme } from './theme.ts';
import { useLeave } from './use-leave.ts';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const LIVE = { live: ['ok', 'Live'], connecting: ['warn', 'Connecting'], off: ['none', 'Not live'] } as const;

interface AccountMenuProps {
  readonly session: Session;
  readonly project: Session['projects'][number] | undefined;
  readonly live: LiveState;
}

/** Which project the pages show, how they look, and the way out. */
export function AccountMenu({ session, project, live }: AccountMenuProps) {
  const client = useQueryClient();
  const router = useRouter();
  const theme = useTheme();
  const [tone, word] = LIVE[live];
  const choose = (id: string): void => {
    rememberProject(id);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    void router.navigate({ to: '/' });
  };
  const leave = useLeave();
  return (
    // Not modal: what keeps the page from scrolling is an inline style, which the policy forbids.
    <Menu.Root modal={false}>
      <Menu.Trigger className="flex items-center gap-2.5 rounded-lg border border-line p-2 text-left hover:bg-hover">
        <span
          aria-hidden
          className="flex size-8 items-center justify-center rounded-md bg-accent-wash font-semibold text-accent-ink uppercase"
        >
          {(project?.name ?? session.workspace.name).slice(0, 1)}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-[13px] font-medium">
            {project?.name ?? session.workspace.name}
          </span>
          <span className="flex items-center gap-1.5 text-xs text-faint">
            <Dot tone={tone} />
            {word}
          </span>
        </span>
        <ChevronsUpDown aria-hidden className="size-4 text-faint" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          side="top"
          align="start"
          sideOffset={6}
          className="z-50 max-h-[70dvh] w-56 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lifted"
        >
          <WorkspaceChoice session={session} />
          {session.projects.length > 1 && (
            <Menu.RadioGroup value={project?.id} onValueChange={choose}>
              <Heading>Project</Heading>
              {session.projects.map(({ id, name }) => (
                <Choice key={id} value={id}>
                  {name}
                </Choice>
              ))}
            </Menu.RadioGroup>
          )}
          <Menu.RadioGroup value={theme} onValueChange={(value) => chooseTheme(value as Theme)}>
            <Heading>Appearance</Heading>
            {THEMES.map((each) => (
              <Choice key={each} value={each}>
                <span className="capitalize">{each}</span>
              </Choice>
            ))}
          </Menu.RadioGroup>
          <Menu.Separator className="my-1 h-px bg-line" />
          <Menu.Label className="px-2 py-1 text-xs text-faint">
            <SignedInAs session={session} />
          </Menu.Label>
          <Menu.Item className={ITEM} onSelect={() => void leave()}>
            <LogOut aria-hidden className="size-4" />
            Sign out
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Of a person who is a member of several. */
function WorkspaceChoice({ session: { workspace, workspaces } }: { readonly session: Session }) {
  const client = useQueryClient();
  const router = useRouter();
  if (workspaces.length < 2) return null;
  const enter = async (id: string): Promise<void> => {
    rememberWorkspace(id);
    await client.resetQueries(sessionQuery);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    await router.navigate({ to: '/' });
  };
  return (
    <Menu.RadioGroup value={workspace.id} onValueChange={(id) => void enter(id)}>
      <Heading>Workspace</Heading>
      {workspaces.map(({ id, name }) => (
        <Choice key={id} value={id}>
          {name}
        </Choice>
      ))}
    </Menu.RadioGroup>
  );
}

function SignedInAs({ session: { key, member } }: { readonly session: Session }) {
  if (member !== null)
    return (
      <>
        Signed in as <span className="break-words">{member.email}</span>
        <span className="block">{toWords(member.role)}</span>
      </>
    );
  return (
    <>
      Signed in as {key?.name}
      <span className="block font-mono">{key?.mask}</span>
    </>
  );
}

const ITEM =
  'flex h-8 items-center gap-2 rounded-md px-2 text-[13px] outline-none select-none data-highlighted:bg-hover';

function Heading({ children }: { readonly children: ReactNode }) {
  return <Menu.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-faint">{children}</Menu.Label>;
}

function Choice({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Menu.RadioItem value={value} className={ITEM}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <Menu.ItemIndicator>
        <Check aria-hidden className="size-4 text-accent-ink" />
      </Menu.ItemIndicator>
    </Menu.RadioItem>
  );
}
