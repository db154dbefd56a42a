// SPDX-License-Identifier: Apache-2.0
/** Descriptions of the operations, by the first segment of their paths. */
export const TAG_TEXTS: Readonly<Record<string, string>> = {
  version: 'Version of the service.',
  session:
    "Sessions of the dashboard. The browser sends the cookie, which is valid only for requests from pages of this origin. `X-Project-Id` selects the project of a session; sessions of management keys and members have none without it. Members sign in through the installation's issuer, at `/ui/oidc/start`. `X-Workspace-Id` selects the workspace of a member of several.",
  search: 'Search over all records of the project.',
  stats: 'Statistics for an overview.',
  networks: 'Networks that the installation can follow, each a document. They belong to the operator.',
  blockchains: 'Chains of the installation, with their nodes and progress. They belong to the operator.',
  blocks: 'Blocks with their processing statuses.',
  assets: 'Coins and tokens as the project sees them.',
  tokens: 'Assets with the metadata of their contracts.',
  public_keys: 'Extended public keys, and the HD addresses derived from them.',
  addresses: 'Monitored addresses and their balances.',
  transactions: 'Transactions of monitored addresses.',
  reconciliations: 'Ledgers compared with the transactions of the project. Results are kept for 90 days.',
  confirmation_policies:
    'When transactions of the project are confirmed, chain by chain. Fixed for a transaction when it is detected.',
  events: 'Events that were sent, or will be sent, through the channels.',
  incidents: 'Records of the project that were set aside, so that all others are still processed.',
  notification_channels: 'Destinations of events, and their deliveries. `/channels` is an alias.',
  portal_sessions:
    "Delivery pages for your customers, embedded in your own pages. Their token, `Authorization: Bearer`, works for the operations that list it, and for the session's channels only.",
  statements:
    'Signed documents of balances and movements, with declared gaps. Stored for 90 days. Their public keys are at `/.well-known/chainwatch-keys`, which needs no key.',
  webhooks: 'Requests that the servers of webhook channels receive.',
  management: 'Workspace, projects, members, keys and audit log, with a management key.',
};
