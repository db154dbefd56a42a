// SPDX-License-Identifier: Apache-2.0
import { answerOf } from './spec-block.ts';
import type { Case } from './spec-block.ts';

interface Answers {
  readonly block: { transactions: Record<string, unknown>[]; withdrawals: unknown[] };
  readonly receipts: (Record<string, unknown> & { logs: { topics: string[]; data: string }[] })[];
}

/** Changes the parsed answers, which stay JSON. */
const parsed =
  (change: (answers: Answers) => unknown) =>
  (whole: Case): Partial<Case> => {
    const block = (JSON.parse(whole.body) as { result: Answers['block'] }).result;
    const receipts = (JSON.parse(whole.receipts) as { result: Answers['receipts'] }).result;
    change({ block, receipts });
    return { body: answerOf(block), receipts: answerOf(receipts) };
  };
const inBody =
  (from: string, to: string) =>
  ({ body }: Case): Partial<Case> => ({ body: body.replace(from, to) });
const inReceipts =
  (from: string | RegExp, to: string) =>
  ({ receipts }: Case): Partial<Case> => ({ receipts: receipts.replace(from, to) });

/** What a node may get wrong in a block of `fixedItems`, or write as nobody does. */
export const tamperings: readonly [string, (whole: Case) => Partial<Case>][] = [
  [
    'swaps two hashes in both answers',
    parsed(
      ({
        block: {
          transactions: [a, b],
        },
        receipts: [c, d],
      }) =>
        ([a!.hash, b!.hash, c!.transactionHash, d!.transactionHash] = [
          b!.hash,
          a!.hash,
          d!.transactionHash,
          c!.transactionHash,
        ]),
    ),
  ],
  [
    'omits the last transaction with its receipt',
    parsed(({ block, receipts }) => [block.transactions.pop(), receipts.pop()]),
  ],
  ['omits a receipt', parsed(({ receipts }) => receipts.pop())],
  ['gives a receipt too many', parsed(({ receipts }) => receipts.push(receipts[0]!))],
  [
    'gives no transactions',
    parsed(({ block, receipts }) => [block.transactions.splice(0), receipts.splice(0)]),
  ],
  ['alters the gas of a receipt', parsed(({ receipts }) => (receipts[1]!.gasUsed = '0xc351'))],
  [
    'alters a sender in both answers but for one',
    parsed(({ receipts }) => (receipts[1]!.from = `0x${'a2'.repeat(20)}`)),
  ],
  ['alters the place of a receipt', parsed(({ receipts }) => (receipts[1]!.transactionIndex = '0x2'))],
  [
    'gives receipts of another block',
    parsed(({ receipts }) => (receipts[1]!.blockHash = `0x${'a2'.repeat(32)}`)),
  ],
  ['alters an amount', parsed(({ receipts }) => (receipts[1]!.logs[0]!.data = `0x${'0'.repeat(62)}fe`))],
  ['omits a log', parsed(({ receipts }) => receipts[1]!.logs.pop())],
  ['alters a status', parsed(({ receipts }) => (receipts[1]!.status = '0x0'))],
  ['gives a status that is none', parsed(({ receipts }) => (receipts[1]!.status = null))],
  [
    'gives no root for a status',
    parsed(({ receipts }) => Object.assign(receipts[1]!, { status: null, root: '0x' })),
  ],
  [
    'alters a withdrawal',
    parsed(({ block }) =>
      block.withdrawals.push({
        index: '0x1',
        validatorIndex: '0x1',
        address: `0x${'a2'.repeat(20)}`,
        amount: '0x1',
      }),
    ),
  ],
  ['alters the parent', inBody(`"parentHash":"0x12`, `"parentHash":"0x13`)],
  ['gives a value without digits', inBody('"value":"0x0"', '"value":"0x"')],
  ['gives a price that is none', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = '0x'))],
  ['gives a price in other digits', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = '0x1g'))],
  ['gives a price as a number', parsed(({ receipts }) => (receipts[1]!.effectiveGasPrice = 7))],
  ['gives a fee of the roll-up that is none', parsed(({ receipts }) => (receipts[1]!.l1Fee = 'none'))],
  ['gives a contract that is no address', parsed(({ receipts }) => (receipts[3]!.contractAddress = '0x12'))],
  [
    'writes a sender in capitals',
    parsed(
      ({ block, receipts }) => (
        (block.transactions[0]!.from = `0x${'A1'.repeat(20)}`), (receipts[0]!.from = `0x${'A1'.repeat(20)}`)
      ),
    ),
  ],
  ['writes a topic in capitals', inReceipts('d4d4d4d4', 'D4D4D4D4')],
  ['writes data in capitals', inBody('abababab', 'ABABABAB')],
  ['gives a value twice', inBody('"value":"0x5"', '"value":"0x5","value":"0x5"')],
  ['gives logs twice', inReceipts('"logs":', '"logs":[],"logs":')],
  ['gives topics twice', inReceipts('"topics":', '"topics":[],"topics":')],
  ['gives access lists twice', inBody('"accessList":[]', '"accessList":[],"accessList":[]')],
  ['gives the transactions twice', inBody('"withdrawals":[]', '"withdrawals":[],"transactions":[]')],
  ['gives two results', ({ body }) => ({ body: body.replace(/\}$/, ',"result":null}') })],
  [
    'gives an error with the result',
    ({ body }) => ({ body: body.replace(/\}$/, ',"error":{"code":-32000,"message":"busy"}}') }),
  ],
  ['goes on after the answer', ({ body }) => ({ body: `${body}{}` })],
  ['stops before the end', ({ body }) => ({ body: body.slice(0, -1) })],
  ['gives a list of answers', ({ body }) => ({ body: `[${body}]` })],
  ['gives an error', () => ({ body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}' })],
  ['gives nothing', () => ({ body: answerOf(null) })],
  ['gives no receipts', () => ({ receipts: answerOf(null) })],
  ['writes a line break into a text', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"a\nb"')],
  ['escapes a key', inBody('"value"', '"valu\\u0065"')],
  ['ends a text with an escape', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"a\\"')],
  ['writes beyond ASCII', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0","note":"é"')],
  ['writes a number that is none', inBody('"jsonrpc":"2.0"', '"jsonrpc":01')],
  ['writes a literal that is none', inBody('"jsonrpc":"2.0"', '"jsonrpc":nul1')],
  ['writes a comma too many', inReceipts(/\}\]\}$/, '},]}')],
  ['ends a text with a line break', inBody('"jsonrpc":"2.0"', '"jsonrpc":"2.0\n')],
  [
    'nests deeper than a stack',
    ({ body }) => ({ body: body.replace('"2.0"', `${'['.repeat(500_000)}${']'.repeat(500_000)}`) }),
  ],
  [
    'lists nothing for transactions, a million times',
    ({ body }) => ({ body: body.replace('"transactions":[', `"transactions":[${'{},'.repeat(1_000_000)}`) }),
  ],
  [
    'lists transactions without a member',
    ({ body }) => ({ body: body.replace('"transactions":[', '"transactions":[{"a":1},') }),
  ],
  ['puts a zero byte for a space', inBody('"jsonrpc":"2.0"', '"jsonrpc":\0"2.0"')],
];
