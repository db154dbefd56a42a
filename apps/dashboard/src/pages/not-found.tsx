import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { Empty } from '../ui/notice.tsx';

export function NotFoundPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <Empty
        icon={<Compass />}
        title="There is no such page"
        action={
          <Link to="/" className="font-medium text-accent-ink hover:underline">
            Go to the overview
          </Link>
        }
      >
        The link may be old. What you look for is found by its address, hash or id in the search box.
      </Empty>
    </main>
  );
}
