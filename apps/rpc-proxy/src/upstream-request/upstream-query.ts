import type { Chain, MinBlock } from '../chains/chain.ts';
import type { MemoryQuota } from '../limits/memory-quota.ts';
import type { MethodKind } from '../methods/method-rule.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Asked } from './is-reply-to.ts';

/** What is asked of a chain's nodes. */
export interface UpstreamQuery {
  readonly chain: Chain;
  /** Who asks. */
  readonly quota: MemoryQuota;
  readonly body: Buffer;
  /** Whose answer a reply must be; undefined where replies have no ids. */
  readonly asked?: Asked | undefined;
  /** The strictest of a batch. */
  readonly kind: MethodKind;
  /** For latencies and heads; of a batch `batch`. */
  readonly method: string;
  /** The whole body's parameters, where they are short. */
  readonly params: string;
  /** What the client saw of the chain so far. */
  readonly minBlock: MinBlock;
  /** Behind the address of the node's HTTP interface: `/wallet/getnowblock`. */
  readonly rest?: string;
  readonly verb?: 'POST' | 'GET';
  readonly acceptEncoding?: string | undefined;
  /** The one node that has the filter. */
  readonly upstream?: Upstream | undefined;
  /** By the chain's clock; 30 s from now where it is not given. */
  readonly deadline?: number | undefined;
}
