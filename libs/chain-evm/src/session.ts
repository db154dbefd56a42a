import type { Network } from '@chainwatch/chain-core';
import type { Capabilities } from './capabilities.ts';
import type { EvmTraits } from './evm-traits.ts';
import type { RpcTransport } from './rpc-transport.ts';

/** What the readers of one endpoint share. */
export interface Session {
  readonly network: Network;
  readonly traits: EvmTraits;
  readonly transport: RpcTransport;
  readonly capabilities: Capabilities;
  /** Hashes of blocks in which this endpoint told a wrong sender. */
  readonly doubted: Set<string>;
}
