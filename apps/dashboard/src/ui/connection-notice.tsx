// SPDX-License-Identifier: Apache-2.0
import { CloudOff } from 'lucide-react';
import { useConnection } from '../api/connection.ts';

/** Says over any page that the API does not answer; it goes by itself. */
export function ConnectionNotice() {
  const isAway = useConnection() === 'away';
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-2 z-50 flex justify-center px-4">
      {isAway && (
        <p className="flex items-center gap-2 rounded-lg border border-line bg-raised px-3.5 py-2 text-[13px] shadow-lifted">
          <CloudOff aria-hidden className="size-4 text-warn" />
          No connection. Retrying…
        </p>
      )}
    </div>
  );
}
