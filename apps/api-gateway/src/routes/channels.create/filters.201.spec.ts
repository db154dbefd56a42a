// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const ID = randomUUID();
const url = 'https://1.1.1.1/';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

const SPELLINGS: [string, Record<string, string[]>, Record<string, string[]>][] = [
  [
    'a token as wallets show it',
    { asset_gids: [`eip155:1/erc20:${USDC}`, `eip155:1/erc20:${USDC.toLowerCase()}`] },
    { asset_gids: [`eip155:1/erc20:${USDC.toLowerCase()}`] },
  ],
  [
    'a token and the coin of BSC by their other names',
    { asset_gids: [`eip155:56/erc20:${USDC}`, 'eip155:56/slip44:714'] },
    { asset_gids: [`eip155:56/bep20:${USDC.toLowerCase()}`, 'eip155:56/slip44:9006'] },
  ],
  [
    'chains by their other names',
    { chain_gids: ['tron:mainnet', 'tron:728126428', 'eip155:1'], asset_gids: ['tron:mainnet/slip44:195'] },
    { chain_gids: ['tron:0x2b6653dc', 'eip155:1'], asset_gids: ['tron:0x2b6653dc/slip44:195'] },
  ],
  [
    'a mint, whose letters have their case',
    { asset_gids: [`${SOLANA}/token:${MINT}`] },
    { asset_gids: [`${SOLANA}/token:${MINT}`] },
  ],
  ['ids in upper case', { address_ids: [ID.toUpperCase()] }, { address_ids: [ID] }],
  ['groups with spaces around', { groups: [' shop-7 '] }, { groups: ['shop-7'] }],
  [
    'a chain that is not known yet',
    { chain_gids: ['cosmos:hub-4'], asset_gids: ['cosmos:hub-4/slip44:118'] },
    { chain_gids: ['cosmos:hub-4'], asset_gids: ['cosmos:hub-4/slip44:118'] },
  ],
];

it.each(SPELLINGS)('filters name %s: they are kept as events have them', async (_name, sent, kept) => {
  const { body: made } = await world.api
    .post('/channels')
    .send({ name: 'made', url, filters: sent })
    .expect(201);
  expect(made.config.filters).toEqual(kept);
  const { body: plain } = await world.api.post('/channels').send({ name: 'plain', url }).expect(201);
  const { body: changed } = await world.api
    .patch(`/notification_channels/webhook/${plain.id}`)
    .send({ filters: sent })
    .expect(200);
  expect(changed.config.filters).toEqual(kept);
});

it.each(['eip155:1/erc20:0x12', 'eip155:1/slip44:0', `${SOLANA}/token:x`])(
  'an asset that no event ever has is refused: %s',
  async (gid) => {
    const { body } = await world.api
      .post('/channels')
      .send({ name: 'x', url, filters: { asset_gids: ['eip155:1/slip44:60', gid] } })
      .expect(400);
    expect(body.fields).toEqual([{ name: 'filters.asset_gids[1]', reason: expect.stringContaining(gid) }]);
  },
);

it('a group that no address can be in is refused', async () => {
  const { body } = await world.api
    .post('/channels')
    .send({ name: 'x', url, filters: { groups: ['shop-7', 'a,b'] } })
    .expect(400);
  expect(body.fields).toEqual([{ name: 'filters.groups[1]', reason: 'expected no comma' }]);
});
