// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { CHANNEL_KINDS } from '@chainwatch/channels';
import type { ApiRoute } from './define-route.ts';
import { backfillAddress } from './routes/addresses.backfill/handler.ts';
import { getBalanceDetails } from './routes/addresses.balance-details/handler.ts';
import { listAdjustments } from './routes/addresses.list-adjustments/handler.ts';
import { listBalanceHistory } from './routes/addresses.balance-history/handler.ts';
import { getBalances } from './routes/addresses.balances/handler.ts';
import { checkManyAddresses } from './routes/addresses.check/handler.ts';
import { createExternalAddress } from './routes/addresses.create-external/handler.ts';
import { deleteAddress } from './routes/addresses.delete/handler.ts';
import { getExternalAddress } from './routes/addresses.get-external/handler.ts';
import { getHdAddress } from './routes/addresses.get-hd/handler.ts';
import { getAddress } from './routes/addresses.get/handler.ts';
import { importAddresses } from './routes/addresses.import/handler.ts';
import { listHdAddresses } from './routes/addresses.list-hd/handler.ts';
import { listAddresses } from './routes/addresses.list/handler.ts';
import { queryBalances } from './routes/addresses.query-balances/handler.ts';
import { updateManyAddresses } from './routes/addresses.update-many/handler.ts';
import { updateAddress } from './routes/addresses.update/handler.ts';
import { listUtxos } from './routes/addresses.utxos/handler.ts';
import { archiveAsset } from './routes/assets.archive/handler.ts';
import { listAssets } from './routes/assets.list/handler.ts';
import { restoreAsset } from './routes/assets.restore/handler.ts';
import { activateBlockchain } from './routes/blockchains.activate/handler.ts';
import { deleteNetwork } from './routes/networks.delete/handler.ts';
import { getNetwork } from './routes/networks.get/handler.ts';
import { listNetworksRoute } from './routes/networks.list/handler.ts';
import { putNetwork } from './routes/networks.put/handler.ts';
import { createBlockchain } from './routes/blockchains.create/handler.ts';
import { deactivateBlockchain } from './routes/blockchains.deactivate/handler.ts';
import { getBlockchain } from './routes/blockchains.get/handler.ts';
import { listBlockchains } from './routes/blockchains.list/handler.ts';
import { listNodes } from './routes/blockchains.list-nodes/handler.ts';
import { createEndpoint } from './routes/endpoints.create/handler.ts';
import { deleteEndpoint } from './routes/endpoints.delete/handler.ts';
import { getEndpoint } from './routes/endpoints.get/handler.ts';
import { listEndpoints } from './routes/endpoints.list/handler.ts';
import { updateEndpoint } from './routes/endpoints.update/handler.ts';
import { reprocessBlocks } from './routes/blockchains.reprocess/handler.ts';
import { resetBlockchain } from './routes/blockchains.reset/handler.ts';
import { skipBlocks } from './routes/blockchains.skip/handler.ts';
import { updateEndpointRoutes } from './routes/blockchains.update-endpoint/handler.ts';
import { getBlock } from './routes/blocks.get/handler.ts';
import { listBlocks } from './routes/blocks.list/handler.ts';
import { archiveChannel } from './routes/channels.archive/handler.ts';
import { createChannelRoute } from './routes/channels.create/handler.ts';
import { deleteChannel } from './routes/channels.delete/handler.ts';
import { getChannel } from './routes/channels.get/handler.ts';
import { listChannels } from './routes/channels.list/handler.ts';
import { previewChannel } from './routes/channels.preview/handler.ts';
import { restoreChannel } from './routes/channels.restore/handler.ts';
import { rehearseChannel } from './routes/channels.rehearse/handler.ts';
import { testChannel } from './routes/channels.test/handler.ts';
import { updateChannelRoute } from './routes/channels.update/handler.ts';
import { getDelivery } from './routes/deliveries.get/handler.ts';
import { listDeliveries } from './routes/deliveries.list/handler.ts';
import { recover } from './routes/deliveries.recover/handler.ts';
import { redeliver } from './routes/deliveries.redeliver/handler.ts';
import { listEventDeliveries } from './routes/events.list-deliveries/handler.ts';
import { getEvent } from './routes/events.get/handler.ts';
import { listEvents } from './routes/events.list/handler.ts';
import { streamEvents } from './routes/events.stream/handler.ts';
import { acceptIncident } from './routes/incidents.accept/handler.ts';
import { listIncidents } from './routes/incidents.list/handler.ts';
import { listOwnIncidents } from './routes/incidents.list-own/handler.ts';
import { deleteConfirmationPolicy } from './routes/confirmation-policies.delete/handler.ts';
import { getConfirmationPolicy } from './routes/confirmation-policies.get/handler.ts';
import { listConfirmationPolicies } from './routes/confirmation-policies.list/handler.ts';
import { setConfirmationPolicy } from './routes/confirmation-policies.set/handler.ts';
import { createPortalSession } from './routes/portal-sessions.create/handler.ts';
import { deletePortalSession } from './routes/portal-sessions.delete/handler.ts';
import { getPortalSession } from './routes/portal-sessions.get/handler.ts';
import { listPortalSessions } from './routes/portal-sessions.list/handler.ts';
import { createReconciliation } from './routes/reconciliations.create/handler.ts';
import { deleteReconciliation } from './routes/reconciliations.delete/handler.ts';
import { getReconciliation } from './routes/reconciliations.get/handler.ts';
import { listReconciliationRows } from './routes/reconciliations.list-rows/handler.ts';
import { listReconciliations } from './routes/reconciliations.list/handler.ts';
import { createPublicKeyAddresses } from './routes/public-keys.create-addresses/handler.ts';
import { createNextAddress } from './routes/public-keys.create-next-address/handler.ts';
import { createPublicKey } from './routes/public-keys.create/handler.ts';
import { deletePublicKey } from './routes/public-keys.delete/handler.ts';
import { getPublicKey } from './routes/public-keys.get/handler.ts';
import { listPublicKeyAddresses } from './routes/public-keys.list-addresses/handler.ts';
import { listPublicKeys } from './routes/public-keys.list/handler.ts';
import { updatePublicKey } from './routes/public-keys.update/handler.ts';
import { getQuotas } from './routes/quotas.get/handler.ts';
import { updateQuotas } from './routes/quotas.update/handler.ts';
import { search } from './routes/search.get/handler.ts';
import { createSession } from './routes/sessions.create/handler.ts';
import { deleteSession } from './routes/sessions.delete/handler.ts';
import { getSession } from './routes/sessions.get/handler.ts';
import { createStatement } from './routes/statements.create/handler.ts';
import { deleteStatement } from './routes/statements.delete/handler.ts';
import { downloadStatement } from './routes/statements.download/handler.ts';
import { getStatement } from './routes/statements.get/handler.ts';
import { listStatements } from './routes/statements.list/handler.ts';
import { getStats } from './routes/stats.get/handler.ts';
import { getStatsSeries } from './routes/stats.get-series/handler.ts';
import { createToken } from './routes/tokens.create/handler.ts';
import { getToken } from './routes/tokens.get/handler.ts';
import { listTokens } from './routes/tokens.list/handler.ts';
import { refreshToken } from './routes/tokens.refresh/handler.ts';
import { getTransaction } from './routes/transactions.get/handler.ts';
import { getTransactionByHash } from './routes/transactions.get-by-hash/handler.ts';
import { getTransactionProof } from './routes/transactions.proof/handler.ts';
import { listTransactions } from './routes/transactions.list/handler.ts';
import { getVersion } from './routes/version.get/handler.ts';
import { deletePreviousSecret } from './routes/webhook-secrets.delete-previous/handler.ts';
import { getWebhookSecrets } from './routes/webhook-secrets.get/handler.ts';
import { rotateWebhookSecret } from './routes/webhook-secrets.rotate/handler.ts';
import { listAuditLogs } from './routes/audit-logs.list/handler.ts';
import { createKey } from './routes/keys.create/handler.ts';
import { getKey } from './routes/keys.get/handler.ts';
import { listKeys } from './routes/keys.list/handler.ts';
import { revokeKey } from './routes/keys.revoke/handler.ts';
import { rollKeyRoute } from './routes/keys.roll/handler.ts';
import { createMember } from './routes/members.create/handler.ts';
import { deleteMember } from './routes/members.delete/handler.ts';
import { listMembers } from './routes/members.list/handler.ts';
import { updateMember } from './routes/members.update/handler.ts';
import { createProject } from './routes/projects.create/handler.ts';
import { deleteProject } from './routes/projects.delete/handler.ts';
import { getProject } from './routes/projects.get/handler.ts';
import { listProjects } from './routes/projects.list/handler.ts';
import { updateProject } from './routes/projects.update/handler.ts';
import { listUsage } from './routes/usage.list/handler.ts';
import { getWorkspace } from './routes/workspace.get/handler.ts';
import { updateWorkspace } from './routes/workspace.update/handler.ts';

const defaultKind = CHANNEL_KINDS.find(({ isDefault }) => isDefault)!;

const channelRoutes = {
  listChannels,
  ...Object.fromEntries(
    CHANNEL_KINDS.flatMap((kind) => [
      [`create${kind.docs.title}Channel`, createChannelRoute(kind)],
      [`update${kind.docs.title}Channel`, updateChannelRoute(kind)],
    ]),
  ),
  getChannel,
  deleteChannel,
  archiveChannel,
  restoreChannel,
  listDeliveries,
  getDelivery,
  testChannel,
  redeliver,
  recover,
  getWebhookSecrets,
  rotateWebhookSecret,
  deletePreviousSecret,
} satisfies Record<string, ApiRoute>;

/** The management interface (decisions.md §7): routes of a workspace, for management keys. */
const managementRoutes = {
  getWorkspace,
  updateWorkspace,
  getQuotas,
  updateQuotas,
  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,
  listMembers,
  createMember,
  updateMember,
  deleteMember,
  listKeys,
  createKey,
  getKey,
  revokeKey,
  rollKey: rollKeyRoute,
  listAuditLogs,
  listUsage,
} satisfies Record<string, ApiRoute>;

/**
 * Every route of the platform API and the management interface, by operation id; paths are relative to the base
 * address.
 */
export const operations: Readonly<Record<string, ApiRoute>> = {
  getVersion,
  getSession,
  createSession,
  deleteSession,
  search,
  getStats,
  getStatsSeries,
  listNetworks: listNetworksRoute,
  getNetwork,
  putNetwork,
  deleteNetwork,
  listBlockchains,
  createBlockchain,
  getBlockchain,
  activateBlockchain,
  deactivateBlockchain,
  reprocessBlocks,
  resetBlockchain,
  skipBlocks,
  listNodes,
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  listIncidents,
  listOwnIncidents,
  acceptIncident,
  ...updateEndpointRoutes,
  listBlocks,
  getBlock,
  listAssets,
  archiveAsset,
  restoreAsset,
  listTokens,
  createToken,
  getToken,
  refreshToken,
  listPublicKeys,
  createPublicKey,
  getPublicKey,
  updatePublicKey,
  deletePublicKey,
  listPublicKeyAddresses,
  createPublicKeyAddresses,
  createNextAddress,
  listAddresses,
  listHdAddresses,
  createExternalAddress,
  importAddresses,
  updateManyAddresses,
  queryBalances,
  checkManyAddresses,
  getAddress,
  updateAddress,
  backfillAddress,
  deleteAddress,
  getHdAddress,
  getExternalAddress,
  getBalances,
  getBalanceDetails,
  listBalanceHistory,
  listAdjustments,
  listUtxos,
  listTransactions,
  getTransaction,
  getTransactionByHash,
  getTransactionProof,
  listStatements,
  createStatement,
  getStatement,
  downloadStatement,
  deleteStatement,
  listReconciliations,
  createReconciliation,
  getReconciliation,
  listReconciliationRows,
  deleteReconciliation,
  listConfirmationPolicies,
  getConfirmationPolicy,
  setConfirmationPolicy,
  deleteConfirmationPolicy,
  listEvents,
  streamEvents,
  getEvent,
  listEventDeliveries,
  previewChannel,
  rehearseChannel,
  ...channelRoutes,
  // One set of handlers, two mounts (decisions.md 1.2).
  createChannel: {
    ...createChannelRoute(defaultKind, '/channels'),
    aliasOf: `create${defaultKind.docs.title}Channel`,
  },
  ...Object.fromEntries(
    Object.entries(channelRoutes).map(([id, route]) => [
      `${id}ByShortPath`,
      { ...underShortPath(route), aliasOf: id },
    ]),
  ),
  listPortalSessions,
  createPortalSession,
  getPortalSession,
  deletePortalSession,
  ...managementRoutes,
};

export const routeTable: readonly ApiRoute[] = Object.values(operations);

/** Serves a route under the parameter name that the specification uses in its path; the handlers use a single name. */
function underShortPath(route: ApiRoute): ApiRoute {
  const { params } = route.schemas;
  const path = route.path
    .replace('/notification_channels', '/channels')
    .replace(':notification_channel_id', ':channel_id');
  return {
    ...route,
    path,
    ...(params instanceof z.ZodObject && { schemas: { ...route.schemas, params: underShortName(params) } }),
  };
}

function underShortName({ shape: { notification_channel_id: id, ...others } }: z.ZodObject): z.ZodType {
  return z
    .object({ channel_id: id!, ...others })
    .transform(({ channel_id, ...rest }) => ({ ...rest, notification_channel_id: channel_id }));
}
