// SPDX-License-Identifier: Apache-2.0
import { useRouter } from '@tanstack/react-router';
import { LogOut, Monitor, Moon, Plus, Sun, Upload, type LucideIcon } from 'lucide-react';
import { useMay } from '../api/session.ts';
import { usePlaces } from './places.ts';
import { chooseTheme } from './theme.ts';
import { useLeave } from './use-leave.ts';

/** What the search box offers beside what it finds: a page to go to, or something to do. */
export interface Command {
  readonly title: string;
  readonly about: 'Page' | 'Action';
  readonly icon: LucideIcon;
  /** Other words for it. */
  readonly words?: string;
  readonly run: () => void;
}

/** Those that the session may use. */
export function useCommands(): readonly Command[] {
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
