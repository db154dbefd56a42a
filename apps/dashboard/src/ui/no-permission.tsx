// SPDX-License-Identifier: Apache-2.0
import { Lock } from 'lucide-react';
import { Empty } from './notice.tsx';
import { Page, Panel } from './panel.tsx';

interface NoPermissionProps {
  /** Of the page. */
  readonly title: string;
  /** What the key or the role lacks. */
  readonly permission: string;
}

/** In place of a page that the navigation does not offer, for whoever follows a link to it. */
export function NoPermission({ title, permission }: NoPermissionProps) {
  return (
    <Page title={title}>
      <Panel isFlush>
        <Empty icon={<Lock />} title="Permission missing">
          This page requires the permission <code className="font-mono">{permission}</code>. Ask an admin of
          your workspace to add it to your key or role.
        </Empty>
      </Panel>
    </Page>
  );
}
