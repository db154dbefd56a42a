// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { HealthStrip } from './health-strip.tsx';
import { nodesQuery, type Node } from '../../api/chain-queries.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

/** How the nodes are that a chain is read from. */
export function NodeList({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(nodesQuery(chainGid));
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending) return <Waiting rows={2} />;
  const { items, reported_at: reportedAt } = query.data;
  if (reportedAt === null)
    return (
      <p className="text-[13px] text-soft">Node health unknown: the ingestor has not reported for 30 s.</p>
    );
  if (items.length === 0) return <p className="text-[13px] text-warn">No node in use.</p>;
  return (
    <ul aria-label="Nodes" className="flex flex-col gap-3">
      {items.map((node, index) => (
        <NodeLine key={`${node.url} ${index}`} node={node} />
      ))}
    </ul>
  );
}

function NodeLine({ node }: { readonly node: Node }) {
  return (
    <li className="flex flex-col gap-1 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <code className="min-w-0 font-mono break-all">{node.url}</code>
        <Status of={node.status} />
        {node.is_in_use && <Badge tone="info">In use</Badge>}
      </div>
      <p className="flex flex-wrap gap-x-3 text-soft tabular-nums">
        {node.head_number !== null && <span>Head {node.head_number.toLocaleString()}</span>}
        {node.latency_ms !== null && <span>in {Math.round(node.latency_ms).toLocaleString()} ms</span>}
        {node.last_success_at !== null && (
          <span>
            answered <Time at={node.last_success_at} />
          </span>
        )}
      </p>
      <HealthStrip history={node.history} />
      {node.last_error_at !== null && (
        <p className="break-words text-warn">
          Failed <Time at={node.last_error_at} />: {node.last_error}
        </p>
      )}
    </li>
  );
}
