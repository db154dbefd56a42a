/** Descriptions of the operations, by the first segment of their paths. */
export const TAG_TEXTS: Readonly<Record<string, string>> = {
  version: 'Which version answers.',
  session:
    "The sign-in of the dashboard's pages. A browser sends the cookie by itself, and it counts only for requests of the pages of this origin; with `X-Project-Id` a session acts on one of its projects, which that of a management key or of a member without it does not. Members sign in through the issuer of the installation, at `/ui/oidc/start`; with `X-Workspace-Id` a member of several workspaces acts in that one.",
  search: 'One box for everything.',
  stats: 'Figures for an overview.',
  networks: 'Networks that the installation can follow, each a document. They belong to the operator.',
  blockchains:
    'Chains that the installation knows, their nodes and how far they are read. They belong to the operator.',
  blocks: 'Blocks with their processing statuses.',
  assets: 'Coins and tokens as the project sees them.',
  tokens: 'The same with the metadata of their contracts.',
  public_keys: 'Extended public keys, and the HD addresses derived from them.',
  addresses: 'Monitored addresses and their balances.',
  transactions: 'Transactions of monitored addresses.',
  reconciliations: 'Ledgers compared with the transactions of the project. Results are kept for 90 days.',
  confirmation_policies:
    'When transactions of the project are confirmed, chain by chain. Fixed for a transaction when it is detected.',
  events: 'What was told, or is to be told, through the channels.',
  incidents: 'What of the project was set aside, so that the rest goes on.',
  notification_channels:
    'Where events are delivered to, and how that went. `/channels` is the short path to the same.',
  portal_sessions:
    "Pages on some channels' deliveries for customers of yours, framed in yours. Their token, `Authorization: Bearer`, opens the operations that name it, for these channels alone.",
  statements:
    'Signed documents of balances and movements, with what is not known declared. Kept for 90 days. Their public keys are at `/.well-known/chainwatch-keys`, which needs no key.',
  webhooks: 'Requests that the servers of webhook channels receive.',
  management: 'Workspace, projects, members, keys and audit log, with a management key.',
};
