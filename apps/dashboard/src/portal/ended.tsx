import { TimerOff } from 'lucide-react';
import { Empty } from '../ui/notice.tsx';

/** In place of everything: there is no token, or nothing is behind it any more. */
export function Ended() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <div>
        <h1 className="sr-only">Notifications</h1>
        <Empty icon={<TimerOff />} title="This page has ended">
          It is open for a limited time. Go back to where you came from, or reload the page around it, to open
          it again.
        </Empty>
      </div>
    </main>
  );
}
