// SPDX-License-Identifier: Apache-2.0
/**
 * The vocabulary of every chain (Block, Transaction, Transfer) and the ChainFamily port that a family implements.
 * Used by the families, the registry and every service that follows or reads a chain.
 *
 * @example
 * const family = await findFamily('eip155');
 * const client = family.createClient({ network, endpointUrl: 'http://127.0.0.1:8545' });
 * const block = await client.readBlock(await client.readHead());
 */
export type * from './block.ts';
export { BALANCE_CHANGE_REASONS, lacksEvidence, rankOf } from './block.ts';
export type * from './inclusion-proof.ts';
export type * from './network.ts';
export { UNTOLD_REASONS } from './network.ts';
export { nativeOf, readRegistered, resolveAssetPath } from './network-assets.ts';
export type * from './chain-endpoint.ts';
export type * from './chain-family.ts';
export type * from './family-rpc.ts';
export * from './rpc-transactions.ts';
export { readNumber } from './read-number.ts';
export * from './cache-rule.ts';
export { blocksIn, BlockTime, toTimeMs } from './block-time.ts';
export * from './errors.ts';
export {
  calendarSchema,
  compareUpgrades,
  findExplanation,
  findOverdue,
  isActiveUpgrade,
  mergeCalendars,
  parseCalendar,
  selectUpgrades,
  timeOfUpgrade,
  type Calendar,
  type Upgrade,
  type UpgradeState,
} from './upgrade.ts';
export { decimalOfDouble, uiMultiplierAt, type UiMultiplier } from './ui-multiplier.ts';
export type * from './network-probe.ts';
export { NetworkCatalogue } from './network-catalogue.ts';
export {
  networkSchema,
  toNetworkDocument,
  toSnakeCase,
  traitsSchema,
  type NetworkDocument,
} from './network-schema.ts';
export { checkBase58Text, cleanTokenText, decodeMemo } from './untrusted-text.ts';
export {
  askIfServed,
  expectJson,
  isServerFault,
  JsonRpc,
  orderAnswers,
  parseJson,
  readAnswer,
  readRpcText,
  unwrap,
  type RpcAnswer,
  type RpcCall,
} from './json-rpc.ts';
export {
  endpointContext,
  listEndpoints,
  moreEndpointContext,
  openEndpoint,
  openMore,
  type Opener,
  type SealedEndpoint,
  type SealedEndpoints,
} from './list-endpoints.ts';
export {
  createChainOpener,
  findNetworkOf,
  isSameChain,
  missingFamily,
  type ActiveChain,
  type ChainOpenerOptions,
  type OpenChain,
  type OpenedChain,
} from './open-chain.ts';
export { createFailoverClient } from './failover-client.ts';
export type { BlockOpinion, FailoverClient, FailoverOptions } from './failover-client.ts';
export type { EndpointHealth } from './endpoint-state.ts';
export { parseEndpoint } from './endpoint.ts';
export type { Endpoint } from './endpoint.ts';
export { FairQueue, type FairQueueOptions, type QueuePlace } from './fair-queue.ts';
export { withDeadline } from './deadline.ts';
export { HttpClient } from './http-client.ts';
export type { EndpointOptions, HttpClientOptions, HttpConnections } from './http-client.ts';
export type { HttpAnswer } from './receive-reply.ts';
export { settleUnknowns } from './settle-unknowns.ts';
export { Signal } from './signal.ts';
