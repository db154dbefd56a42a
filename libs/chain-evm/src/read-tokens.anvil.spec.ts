// SPDX-License-Identifier: Apache-2.0
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import type { ChainClient, Network } from '@chainwatch/chain-core';
import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';
import { evmFamily } from './evm-family.ts';

const network = evmFamily.catalogue.networks.find(({ gid }) => gid === 'eip155:31337') as Network;
const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function ownerOf(uint256 id) view returns (address)',
  'function uiMultiplier() view returns (uint256)',
  'function newUIMultiplier() view returns (uint256)',
  'function effectiveAt() view returns (uint256)',
]);
const hex = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0');
const call = (functionName: string, args: readonly unknown[] = []): string =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
const number = (value: bigint): string => encodeAbiParameters([{ type: 'uint256' }], [value]);
const text = (value: string): string => encodeAbiParameters([{ type: 'string' }], [value]);
const yes = number(1n);

/** A contract that gives these answers to exactly these calls, and reverts on all others, or answers them all the same. */
function contractOf(
  answers: readonly (readonly [data: string, answer: string])[],
  otherwise?: string,
): string {
  let code = '';
  for (const [data, answer] of [...answers, ...(otherwise === undefined ? [] : [['', otherwise] as const])]) {
    const returns = storeAndReturn(answer);
    // Compares the first 36 bytes of the call with what is asked.
    const words =
      data === ''
        ? []
        : [data.slice(2).padEnd(128, '0').slice(0, 64), data.slice(2).padEnd(128, '0').slice(64)];
    const test =
      words.map((word, at) => `7f${word}60${hex(at * 32, 1)}3518`).join('') + (words.length > 0 ? '17' : '');
    const skip = code.length / 2 + test.length / 2 + (words.length > 0 ? 4 : 0) + returns.length / 2;
    code += `${test}${words.length > 0 ? `61${hex(skip, 2)}57` : ''}${returns}5b`;
  }
  return `0x${code}60006000fd`;
}

function storeAndReturn(answer: string): string {
  const words = answer.slice(2).match(/.{64}/g)!;
  return `${words.map((word, at) => `7f${word}61${hex(at * 32, 2)}52`).join('')}61${hex(words.length * 32, 2)}6000f3`;
}

let node: AnvilHandle;
let client: ChainClient;
beforeAll(async () => {
  node = await startAnvil();
  client = evmFamily.createClient({ network, endpointUrl: node.url });
});
afterAll(async () => {
  client.close();
  await node.stop();
});

let count = 0;
const deploy = async (...parts: Parameters<typeof contractOf>): Promise<string> => {
  const address = `0x${hex((count += 1), 1).repeat(20)}`;
  await node.rpc('anvil_setCode', [address, contractOf(...parts)]);
  return `${network.gid}/erc20:${address}`;
};
const read = async (gid: string, moved?: bigint) =>
  (await client.readTokens!([gid], undefined, moved === undefined ? undefined : new Map([[gid, moved]])))[0];

const named = [
  [call('name'), text('Thing')],
  [call('symbol'), text('TH')],
  [call('totalSupply'), number(9n)],
] as const;
const fungible = [...named, [call('decimals'), number(18n)]] as const;
const owner = number(BigInt(`0x${'a1'.repeat(20)}`));
const collection = { name: 'Thing', symbol: 'TH', decimals: undefined, isNft: true };

it('takes a contract for a collection that says so, whatever its decimals', async () => {
  const gid = await deploy([...fungible, [call('supportsInterface', ['0x80ac58cd']), yes]]);
  expect(await read(gid)).toEqual(collection);
});

it('takes one from before the standard for a collection by the owner of a token that moved', async () => {
  const gid = await deploy([...named, [call('ownerOf', [777_777n]), owner]]);
  expect(await read(gid, 777_777n)).toEqual(collection);
  // Without an id nobody knows one, and the decimals are not known.
  expect(await read(gid)).toEqual({ name: 'Thing', symbol: 'TH', decimals: undefined });
});

it.each([0n, 1n])('knows it by the owner of its token %d where none has moved', async (first) => {
  const gid = await deploy([...named, [call('ownerOf', [first]), owner]]);
  expect(await read(gid)).toEqual(collection);
});

it('takes what has decimals for fungible, whatever it owns', async () => {
  const gid = await deploy([...fungible, [call('ownerOf', [1n]), owner]]);
  expect(await read(gid, 1n)).toEqual({ name: 'Thing', symbol: 'TH', decimals: 18 });
});

it('does not believe a contract that answers anything', async () => {
  expect(await read(await deploy([...fungible], yes))).toEqual({ name: 'Thing', symbol: 'TH', decimals: 18 });
});

describe('the multiplier of ERC-8056', () => {
  const multiplier = (now: bigint, next?: bigint, at?: bigint) =>
    deploy([
      ...fungible,
      [call('uiMultiplier'), number(now)],
      ...(next === undefined ? [] : [[call('newUIMultiplier'), number(next)] as const]),
      ...(at === undefined ? [] : [[call('effectiveAt'), number(at)] as const]),
    ]);

  it.each([
    ['2', [2n * 10n ** 18n], { value: '2' }],
    ['1.0032690125398187', [1_003_269_012_539_818_700n], { value: '1.0032690125398187' }],
    ['1, with nothing announced', [10n ** 18n, 10n ** 18n, 0n], { value: '1' }],
    [
      '1, and 2 is announced',
      [10n ** 18n, 2n * 10n ** 18n, 1_900_000_000n],
      { value: '1', next: { value: '2', at: 1_900_000_000 } },
    ],
    ['1, and what is announced has no time', [10n ** 18n, 2n * 10n ** 18n], { value: '1' }],
  ] as const)('is %s', async (_name, [now, next, at], expected) => {
    expect((await read(await multiplier(now, next, at)))?.uiMultiplier).toEqual({
      type: 'scaled',
      ...expected,
    });
  });

  it('is none where it is 0, or not there', async () => {
    expect(await read(await multiplier(0n))).not.toHaveProperty('uiMultiplier');
    expect(await read(await deploy([...fungible]))).toEqual({ name: 'Thing', symbol: 'TH', decimals: 18 });
  });
});
