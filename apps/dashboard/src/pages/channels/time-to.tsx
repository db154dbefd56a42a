// SPDX-License-Identifier: Apache-2.0
import { TimeLeft, useNow } from '../../ui/time.tsx';

/** `in 24 s`; a time that has come is now: services look every few seconds. */
export function TimeTo({ at }: { readonly at: string }) {
  const now = Math.max(useNow(), Date.now());
  if (Date.parse(at) <= now) return <span>now</span>;
  return (
    <>
      in <TimeLeft until={at} />
    </>
  );
}
