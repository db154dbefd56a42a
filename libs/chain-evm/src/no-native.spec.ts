// SPDX-License-Identifier: Apache-2.0
import { evmCatalogue, evmNetworks } from './networks.ts';
import { parseAssetPath } from './evm-family.ts';
import { account, makeItem, readMade, transferLog } from './spec-read.ts';

// A chain without a native coin (decisions.md 19): its blocks are generated.

const DOCUMENT = {
  gid: 'eip155:31339',
  family: 'evm',
  name: 'coinless',
  short_name: 'cls',
  display_name: 'Coinless',
  token_namespace: 'erc20',
  confirmation: { type: 'depth', depth: 3 },
  block_time_ms: 500,
};
const coinless = evmCatalogue.parse(DOCUMENT);
const [payer, payee, token] = ['a1', 'b2', 'c3'].map(account) as [string, string, string];

it('has tokens, and neither payments nor fees nor rewards of a coin that is not there', async () => {
  const made = makeItem({ from: payer, to: payee }, { logs: [transferLog(token, [payer, payee], 9n)] });
  const ether = transferLog('0xfffffffffffffffffffffffffffffffffffffffe', [payer, payee], 5n);
  const block = await readMade(
    coinless,
    [made, makeItem({ from: payer, to: payee, nonce: '0x7' }, { logs: [ether] })],
    {
      traces: [
        { isFailed: false, transfers: [{ from: payee, to: payer, amountRaw: 3n }] },
        { isFailed: false, transfers: [] },
      ],
    },
  );
  const assetGid = `eip155:31339/erc20:${token}`;
  expect(block.transactions.map(({ transfers }) => transfers)).toMatchObject([
    [{ type: 'token', assetGid, from: payer, to: payee, amountRaw: 9n }],
    [],
  ]);
  expect(block.transactions.map(({ fee }) => fee)).toEqual([undefined, undefined]);
  expect(block.balanceChanges).toEqual([]);
});

it('refuses the coin by name, and takes its tokens', () => {
  expect(() => parseAssetPath(coinless, 'slip44:60')).toThrow(
    'eip155:31339 has no native coin: expected a token, got "slip44:60"',
  );
  expect(() => parseAssetPath(coinless, 'usdt')).toThrow('expected erc20:<address>, got "usdt"');
  expect(parseAssetPath(coinless, `erc20:${token}`)).toBe(`eip155:31339/erc20:${token}`);
});

it.each([
  [{ stack: 'optimism' }, 'expected the coin that this stack has'],
  [{ stack: 'ethereum', native_token_contract: token }, 'expected a native coin of which it is the contract'],
])('is no chain with traits %j', (traits, message) => {
  expect(() => evmCatalogue.parse({ ...DOCUMENT, traits })).toThrow(message);
});

it('is none of this build', () => {
  expect(evmNetworks.every(({ native }) => native !== undefined)).toBe(true);
});
