// SPDX-License-Identifier: Apache-2.0
import { TimerOff } from 'lucide-react';
import { Empty } from '../ui/notice.tsx';

/** In place of everything: there is no token, or nothing is behind it any more. */
export function Ended() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <div>
        <h1 className="sr-only">Notifications</h1>
        <Empty icon={<TimerOff />} title="This page has expired">
          Pages stay open for a limited time. Go back to the previous page, or reload it, to open this page
          again.
        </Empty>
      </div>
    </main>
  );
}
