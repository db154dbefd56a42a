// SPDX-License-Identifier: Apache-2.0
import { CircleAlert } from 'lucide-react';
import { Badge } from '../../ui/status.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

interface Monitored {
  readonly is_monitored: boolean;
  readonly warnings: readonly string[];
}

/** Red where an address is to be monitored, and no chain that knows it is followed. */
export function MonitoringBadge({ of: { is_monitored, warnings } }: { readonly of: Monitored }) {
  if (warnings.length > 0) return <Badge tone="bad">Not monitored</Badge>;
  return <Badge tone={is_monitored ? 'ok' : 'none'}>{is_monitored ? 'Monitored' : 'Paused'}</Badge>;
}

/** Why an address is not monitored. */
export function MonitoringWarnings({ warnings }: Pick<Monitored, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-lg border border-line bg-bad-wash p-3 text-[13px]"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        {warnings.map((warning) => (
          <p key={warning} className="font-medium break-words text-bad">
            {warning}
          </p>
        ))}
        <p className="text-soft">Activate the chain before you show this address to a customer.</p>
      </div>
    </div>
  );
}

/** Says that an address was added, or why its payments are not detected. */
export function tellMonitored(text: string, { warnings }: Pick<Monitored, 'warnings'>): void {
  if (warnings[0] === undefined) tell(text);
  else tellProblem(new Error(`Saved, but not monitored. ${warnings[0]}`));
}
