// SPDX-License-Identifier: Apache-2.0
import * as Menu from '@radix-ui/react-dropdown-menu';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Button } from './button.tsx';
import { saveFile } from './save-file.ts';
import { tellProblem } from './toast.tsx';

export type ExportType = 'text/csv' | 'application/x-ndjson';

const TYPES = [
  { type: 'text/csv', title: 'CSV', extension: 'csv' },
  { type: 'application/x-ndjson', title: 'JSON lines', extension: 'ndjson' },
] as const satisfies readonly { readonly type: ExportType; title: string; extension: string }[];

interface ExportMenuProps {
  /** Of the file, without what its type adds. */
  readonly name: string;
  /** All that fits the filters, in that type. */
  readonly read: (type: ExportType) => Promise<Blob>;
  readonly isSmall?: boolean;
}

/** Takes a whole list along as a file. */
export function ExportMenu({ name, read, isSmall = false }: ExportMenuProps) {
  const exporting = useMutation({
    mutationFn: async ({ type, extension }: (typeof TYPES)[number]) =>
      saveFile(await read(type), `${name}.${extension}`),
    onError: tellProblem,
  });
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger asChild>
        <Button
          isSmall={isSmall}
          isBusy={exporting.isPending}
          icon={<Download aria-hidden className={isSmall ? 'size-3.5' : 'size-4'} />}
        >
          Export
        </Button>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          align="end"
          sideOffset={6}
          className="z-40 min-w-40 rounded-lg border border-line bg-raised p-1 shadow-lifted"
        >
          {TYPES.map((each) => (
            <Menu.Item
              key={each.type}
              onSelect={() => exporting.mutate(each)}
              className="flex h-8 items-center rounded-md px-2 text-[13px] outline-none select-none data-highlighted:bg-hover"
            >
              {each.title}
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
