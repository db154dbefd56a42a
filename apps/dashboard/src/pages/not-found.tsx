// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { Empty } from '../ui/notice.tsx';

export function NotFoundPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <Empty
        icon={<Compass />}
        title="Page not found"
        action={
          <Link to="/" className="font-medium text-accent-ink hover:underline">
            Go to the overview
          </Link>
        }
      >
        The link may be old. Search by address, hash, or ID.
      </Empty>
    </main>
  );
}
