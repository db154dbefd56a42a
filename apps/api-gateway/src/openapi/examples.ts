const tether = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const natsChannel = {
  name: 'Payments',
  url: 'nats://user:password@nats.example.com:4222',
  subject: 'payments.chainwatch',
};
const telegramChannel = {
  name: 'Payments',
  bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
  chat_id: 42_000_000,
};

const id = '6f1d1f4e-0000-4000-8000-000000000001';
const ids = {
  ...Object.fromEntries(
    [
      'channel_id',
      'delivery_id',
      'event_id',
      'incident_id',
      'key_id',
      'member_id',
      'notification_channel_id',
      'project_id',
      'public_key_id',
      'transaction_id',
    ].map((name) => [name, id]),
  ),
  ...Object.fromEntries(
    ['actor_key_ids', 'key_ids', 'project_ids', 'target_ids'].map((name) => [name, [id]]),
  ),
};

/** By the name of the parameter, wherever it stands. */
export const parameterExamples: Readonly<Record<string, unknown>> = {
  chain_gid: 'eip155:1',
  chain_gids: ['eip155:1'],
  asset_path: `erc20:${tether}`,
  asset_gids: [`eip155:1/erc20:${tether}`],
  address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  block_number: 21_000_000,
  addresses: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  from_block: 21_000_000,
  to_block: 21_000_100,
  formats: ['evm'],
  hash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  methods: ['eth_getBalance'],
  min_amount: '0.01',
  request_id: '8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b',
  search: 'shop',
  since: '2026-01-01T00:00:00Z',
  until: '2026-01-02T00:00:00Z',
  ...ids,
};

/** By operation id. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  createBlockchain: { chain_gid: 'eip155:1' },
  updateEvmEndpoint: { endpoint_url: 'https://node.example.com:8545' },
  updateSolanaEndpoint: { endpoint_url: 'https://node.example.com:8899' },
  updateTronEndpoint: {
    evm_endpoint_url: 'https://node.example.com/jsonrpc',
    endpoint_url: 'https://node.example.com',
  },
  updateBitcoinEndpoint: { endpoint_url: 'https://node.example.com:8332' },
  activateBlockchain: { from_block: 21_000_000 },
  resetBlockchain: { confirm: 'eip155:31337' },
  reprocessBlocks: { from_block: 21_000_000, to_block: 21_000_100 },
  createPublicKey: {
    extended_public_key:
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    derivation_path: "m/84'/0'/0'",
    label: 'Deposits',
  },
  updatePublicKey: { label: 'Deposits' },
  createPublicKeyAddresses: { from: 0, to: 9 },
  createNextAddress: { change: 0 },
  createExternalAddress: {
    value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    chain_family: 'evm',
    label: 'Treasury',
  },
  updateAddress: { label: 'Treasury', is_monitored: true },
  createWebhookChannel: {
    name: 'Payments',
    url: 'https://hooks.example.com/chainwatch',
    event_types: ['transaction.confirmed'],
    filters: { direction: 'in' },
  },
  createWebhookChannelByShortPath: { name: 'Payments', url: 'https://hooks.example.com/chainwatch' },
  createChannel: { name: 'Payments', url: 'https://hooks.example.com/chainwatch' },
  updateWebhookChannel: { throttle_per_second: 10 },
  updateWebhookChannelByShortPath: { throttle_per_second: 10 },
  createNatsChannel: natsChannel,
  createNatsChannelByShortPath: natsChannel,
  updateNatsChannel: { subject: 'payments.chainwatch' },
  updateNatsChannelByShortPath: { subject: 'payments.chainwatch' },
  createTelegramChannel: telegramChannel,
  createTelegramChannelByShortPath: telegramChannel,
  updateTelegramChannel: { chat_id: -1001234567890 },
  updateTelegramChannelByShortPath: { chat_id: -1001234567890 },
  testChannel: { event_type: 'transaction.confirmed' },
  testChannelByShortPath: { event_type: 'transaction.confirmed' },
  recover: { since: '2026-01-01T00:00:00Z' },
  recoverByShortPath: { since: '2026-01-01T00:00:00Z' },
  updateWorkspace: { name: 'Acme' },
  createProject: { name: 'Shop' },
  updateProject: { name: 'Shop' },
  createMember: { email: 'ada@example.com', role: 'developer' },
  updateMember: { role: 'admin' },
  createKey: {
    type: 'api',
    name: 'Backend',
    project_id: '6f1d1f4e-0000-4000-8000-000000000001',
    permissions: ['api:address:read'],
  },
  rollKey: { grace_seconds: 3_600 },
};
