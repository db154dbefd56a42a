// SPDX-License-Identifier: Apache-2.0
import { TimeLeft } from '../ui/time.tsx';

/** A session is short: who reads it is told before it ends. */
export function PortalEnd({ at }: { readonly at: string }) {
  return (
    <footer className="mx-auto w-full max-w-[1400px] px-4 pb-4 text-xs text-faint sm:px-6 lg:px-8">
      This page is open for another <TimeLeft until={at} />.
    </footer>
  );
}
