// SPDX-License-Identifier: Apache-2.0
import { TouchedContracts, type ContractLog, type ContractNotation } from './decode-logs.ts';

const notation: ContractNotation = {
  tokenGid: (contract) => `token:${contract}`,
  account: (account) => account,
};
const [vault, other, alice, bob] = ['0a', '0b', 'c1', 'd1'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
const word = (account: string): string => account.slice(2).padStart(64, '0');
const number = (value: bigint): string => value.toString(16).padStart(64, '0');
const staked: ContractLog = { address: vault, topics: [`0x${'5e'.repeat(32)}`], data: '0x' };
const list = (...logs: readonly ContractLog[]) => {
  const touched = new TouchedContracts();
  touched.add(logs);
  return touched.list(notation);
};

it.each<[string, Partial<ContractLog>, readonly string[]]>([
  ['in a topic', { topics: [...staked.topics, `0x${word(alice)}`] }, [alice]],
  [
    'in any word of the data',
    { data: `0x${number(7n)}${word(bob)}${number(10n ** 20n)}${word(alice)}` },
    [bob, alice],
  ],
  ['once', { topics: [...staked.topics, `0x${word(alice)}`], data: `0x${word(alice)}` }, [alice]],
  ['in capitals', { data: `0x${word(alice).toUpperCase()}` }, [alice]],
  ["with TRON's prefix", { data: `0x${'0'.repeat(22)}41${alice.slice(2)}` }, [alice]],
  [
    'nowhere: a number, a hash, half a word',
    { data: `0x${number(10n ** 28n)}${'ab'.repeat(32)}${word(alice).slice(0, 62)}` },
    [],
  ],
  ['nowhere: the name of the event', { topics: [`0x${word(alice)}`] }, []],
])('an account that a log names %s', (_name, log, addresses) => {
  expect(list({ ...staked, ...log })).toEqual({
    touchedAssets: [`token:${vault}`],
    mentions: addresses.length === 0 ? [] : [{ assetGid: `token:${vault}`, addresses }],
  });
});

it('is named by no transfer and no approval: these say themselves what they did', () => {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const approval = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
  const topics = [`0x${word(alice)}`, `0x${word(bob)}`];
  expect(
    list(
      { address: vault, topics: [transfer, ...topics], data: `0x${number(1n)}` },
      { address: vault, topics: [approval, ...topics], data: `0x${number(1n)}` },
      { address: vault, topics: [transfer], data: `0x${word(alice)}${word(bob)}${number(1n)}` },
    ),
  ).toEqual({ touchedAssets: [], mentions: [] });
});

it('is named by a transfer with one indexed member, which does not say who pays whom', () => {
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  expect(
    list({ address: vault, topics: [transfer, `0x${word(alice)}`], data: `0x${word(bob)}${number(1n)}` })
      .mentions,
  ).toEqual([{ assetGid: `token:${vault}`, addresses: [alice, bob] }]);
});

it('belongs to the contract of each log, and to none that is left out', () => {
  const touched = new TouchedContracts();
  touched.add([
    { ...staked, data: `0x${word(alice)}` },
    { ...staked, address: other, data: `0x${word(bob)}` },
  ]);
  touched.leaveOut(vault);
  expect(touched.list(notation)).toEqual({
    touchedAssets: [`token:${other}`],
    mentions: [{ assetGid: `token:${other}`, addresses: [bob] }],
  });
});
