// SPDX-License-Identifier: Apache-2.0
import { useRouter } from '@tanstack/react-router';
import { Problem } from '../ui/notice.tsx';

export function RouteProblem({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <main className="mx-auto max-w-2xl p-6">
      <Problem error={error} onRetry={() => void router.invalidate()} />
    </main>
  );
}
