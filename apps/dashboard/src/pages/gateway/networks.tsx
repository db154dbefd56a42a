// SPDX-License-Identifier: Apache-2.0
import type { Network } from '../../api/gateway-queries.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';

/** Whether the gateway's nodes of each chain serve. */
export function Networks({ networks }: { readonly networks: readonly Network[] }) {
  const shown = networks.filter(({ status }) => status !== 'not_configured');
  return (
    <Panel title="Networks" isFlush>
      {shown.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">No chain has a node. Add one under Chains.</p>
      ) : (
        <ul aria-label="Networks" className="divide-y divide-line">
          {shown.map(({ chain_gid, display_name, status, head_number }) => (
            <li key={chain_gid} className="flex flex-wrap items-center gap-x-3 px-4 py-2.5 text-[13px]">
              <ChainName gid={chain_gid} name={display_name} className="font-medium" />
              <Status of={status} />
              <span className="ml-auto text-soft tabular-nums">{head_number?.toLocaleString() ?? '–'}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
