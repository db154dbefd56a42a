import fc from 'fast-check';
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';
import { decodeTransferLogs, touchesBalances } from './decode-logs.ts';
import type { ContractLog } from './decode-logs.ts';

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
]);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt(0n, 2n ** 256n - 1n);

function decode(log: ContractLog) {
  const transfers: Parameters<typeof decodeTransferLogs>[1]['transfers'] = [];
  decodeTransferLogs(
    { tokenGid: (token) => token, account: (account) => account },
    { logs: [log], logIndex: 7, transfers },
  );
  return transfers;
}

describe('a log', () => {
  it('of a transfer tells what viem reads in it', () => {
    fc.assert(
      fc.property(address, address, address, amount, (token, from, to, value) => {
        const topics = encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }) as string[];
        const log = { address: token, topics, data: encodeAbiParameters([{ type: 'uint256' }], [value]) };
        const { args } = decodeEventLog({ abi, topics: topics as [Hex], data: log.data });
        const { from: payer, to: payee, value: paid } = args as { from: Hex; to: Hex; value: bigint };
        expect(decode(log)).toEqual([
          {
            index: 0,
            type: 'token',
            assetGid: token,
            from: payer.toLowerCase(),
            to: payee.toLowerCase(),
            amountRaw: paid,
            logIndex: 7,
          },
        ]);
        expect(touchesBalances(log)).toBe(false);
      }),
    );
  });

  it('of an approval tells nothing of balances, as viem encodes it', () => {
    fc.assert(
      fc.property(address, address, (owner, other) => {
        const approval = encodeEventTopics({ abi, eventName: 'Approval', args: { owner, spender: other } });
        const forAll = encodeEventTopics({
          abi,
          eventName: 'ApprovalForAll',
          args: { owner, operator: other },
        });
        for (const topics of [approval, forAll] as string[][]) {
          const log = { address: owner, topics, data: `0x${'0'.repeat(63)}1` };
          expect([decode(log), touchesBalances(log)]).toEqual([[], false]);
        }
      }),
    );
  });
});
