// SPDX-License-Identifier: Apache-2.0
import type { TransactionView } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { KeySession } from '../chains/key-session.ts';
import type { MemoryQuota } from '../limits/tenants.ts';
import type { MethodKind } from '../methods/method-rule.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Asked } from './reply-check.ts';

/** One question to a chain's nodes. */
export interface UpstreamQuery {
  readonly chain: Chain;
  /** The caller's quota. */
  readonly quota: MemoryQuota;
  readonly body: Buffer;
  /** The call that a reply must answer; undefined if replies have no ids. */
  readonly asked?: Asked | undefined;
  readonly kind: MethodKind;
  /** For latencies and heads. */
  readonly method: string;
  /** The call's parameters if they are short and the block reader of its method needs them; otherwise empty. */
  readonly params: string;
  /** What the caller's key has seen. */
  readonly session: KeySession;
  /** What the call reads beside blocks. */
  readonly view?: TransactionView | undefined;
  /** The path after the address of the node's HTTP interface: `/wallet/getnowblock`. */
  readonly rest?: string;
  readonly verb?: 'POST' | 'GET';
  readonly acceptEncoding?: string | undefined;
  /** Asked first, and no other one beside it, if it serves: it took the write before this read. */
  readonly first?: Upstream | undefined;
  /** The only node that has the filter. */
  readonly upstream?: Upstream | undefined;
  /** On the chain's clock; default 30 s from now. */
  readonly deadline?: number | undefined;
}
