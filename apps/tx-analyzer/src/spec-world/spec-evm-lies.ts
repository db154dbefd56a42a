// SPDX-License-Identifier: Apache-2.0
import { addLog, addMove, addTransaction, recompute, word } from './spec-evm-forgery.ts';
import { BOB, PLACE, STRANGER, VICTIM, type Scene, type Story } from './spec-evm-scene.ts';

/**
 * What comes of a lie that nobody else can be asked about.
 *
 * - `refused`: the block is never taken.
 * - `block`: it is taken after the wait, and nothing of it is proved.
 * - `transaction`: it is taken after the wait, one transaction of it is not proved.
 * - `attested`: the chain offers no proof of it.
 * - `none`: nothing is told otherwise.
 */
type Outcome = 'refused' | 'block' | 'transaction' | 'attested' | 'none';

export interface EvmLie {
  readonly name: string;
  readonly outcome: Outcome;
  /** Changes a copy of what the node tells. */
  readonly tell: (story: Story, scene: Scene) => void | Promise<void>;
}

const strip = (item: object, ...names: readonly string[]): void => {
  for (const name of names) delete (item as Record<string, unknown>)[name];
};
const tx = (story: Story, place: keyof typeof PLACE) => story.block.transactions[PLACE[place]]!;
const receipt = (story: Story, place: keyof typeof PLACE) => story.receipts[PLACE[place]]!;

const logs: readonly EvmLie[] = [
  {
    name: 'a token credit in a log, the roots left',
    outcome: 'refused',
    tell: (story, scene) => addLog(story, scene, { from: STRANGER, to: VICTIM }),
  },
  {
    name: 'a token credit in a log, under a header member',
    outcome: 'block',
    tell: (story, scene) => {
      addLog(story, scene, { from: STRANGER, to: VICTIM });
      return recompute(story);
    },
  },
  {
    name: 'a token debit in a log, under a header member',
    outcome: 'block',
    tell: (story, scene) => {
      addLog(story, scene, { from: VICTIM, to: STRANGER });
      return recompute(story);
    },
  },
  {
    name: 'a token credit of a made-up token, under a header member',
    outcome: 'block',
    tell: (story, scene) => {
      addLog(story, { ...scene, token: `0x${'70'.repeat(20)}` }, { from: STRANGER, to: VICTIM });
      return recompute(story);
    },
  },
  ...['receipt', 'log'].map(
    (of): EvmLie => ({
      name: `a higher amount in a log, under a ${of} member`,
      outcome: 'block',
      tell: (story) => {
        const told = receipt(story, 'minted');
        told.logs[0]!.data = word('0x50');
        Object.assign(of === 'log' ? told.logs[0]! : told, { beyond: '0x1' });
      },
    }),
  ),
  {
    name: 'a token credit in a log, under an unknown type of transaction',
    outcome: 'refused',
    tell: (story, scene) => {
      tx(story, 'strange').type = '0x7d';
      story.raws = {};
      addLog(story, scene, { from: STRANGER, to: VICTIM });
    },
  },
];

const payments: readonly EvmLie[] = [
  {
    name: 'a made-up payment, its encoding not given',
    outcome: 'block',
    tell: (story, scene) => addTransaction(story, scene, false),
  },
  {
    name: 'a made-up payment with an encoding, under a header member',
    outcome: 'block',
    tell: (story, scene) => {
      addTransaction(story, scene, true);
      return recompute(story);
    },
  },
  {
    name: 'a made-up payment with an encoding, the roots left',
    outcome: 'refused',
    tell: (story, scene) => addTransaction(story, scene, true),
  },
  {
    name: 'another value',
    outcome: 'refused',
    tell: (story) => void (tx(story, 'received')['value'] = '0x50'),
  },
  {
    name: 'another value, under a member of the transaction',
    outcome: 'transaction',
    tell: (story) => void Object.assign(tx(story, 'received'), { value: '0x50', beyond: '0x1' }),
  },
  {
    name: 'another value and receiver, under an unknown type',
    outcome: 'refused',
    tell: (story) => void Object.assign(tx(story, 'strange'), { value: '0x50', to: VICTIM, type: '0x7d' }),
  },
  {
    name: 'another receiver, under an unknown type, its encoding not given',
    outcome: 'block',
    tell: (story) => {
      Object.assign(tx(story, 'strange'), { value: '0x50', to: VICTIM, type: '0x7d' });
      story.raws = {};
    },
  },
  {
    name: 'another sender, in transaction and receipt',
    outcome: 'refused',
    tell: (story, { alice }) => {
      tx(story, 'received')['from'] = alice;
      receipt(story, 'received')['from'] = alice;
    },
  },
];

const stripped: readonly EvmLie[] = [
  ...[['r'], ['s'], ['value'], ['from'], ['hash'], ['gas'], ['input'], ['to'], ['nonce']].map(
    (names): EvmLie => ({
      name: `no ${names.join(', ')} of a transaction`,
      outcome: 'refused',
      tell: (story) => strip(tx(story, 'received'), ...names),
    }),
  ),
  {
    name: 'another parity of a signature',
    outcome: 'refused',
    tell: (story) => {
      const flipped = tx(story, 'received')['yParity'] === '0x0' ? '0x1' : '0x0';
      Object.assign(tx(story, 'received'), { v: flipped, yParity: flipped });
    },
  },
  {
    name: 'a signature that cannot be read',
    outcome: 'transaction',
    tell: (story) => {
      strip(tx(story, 'received'), 'yParity');
      tx(story, 'received')['v'] = '0x';
    },
  },
  ...['gasUsed', 'cumulativeGasUsed', 'status', 'logs', 'transactionHash'].map(
    (name): EvmLie => ({
      name: `no ${name} of a receipt`,
      outcome: 'refused',
      tell: (story) => strip(receipt(story, 'received'), name),
    }),
  ),
  {
    name: 'another gasUsed',
    outcome: 'refused',
    tell: (story) => void (receipt(story, 'sent')['gasUsed'] = '0x5209'),
  },
  {
    name: 'another effectiveGasPrice',
    outcome: 'attested',
    tell: (story) => void (receipt(story, 'sent')['effectiveGasPrice'] = '0x1'),
  },
  {
    name: 'no effectiveGasPrice, another gasPrice',
    outcome: 'attested',
    tell: (story) => {
      strip(receipt(story, 'sent'), 'effectiveGasPrice');
      tx(story, 'sent')['gasPrice'] = '0x1';
    },
  },
  {
    name: 'a fee of a roll-up',
    outcome: 'attested',
    tell: (story) => void (receipt(story, 'sent')['l1Fee'] = '0x50'),
  },
  {
    name: 'no logsBloom of the header',
    outcome: 'refused',
    tell: (story) => strip(story.block, 'logsBloom'),
  },
  {
    name: 'no logsBloom of a receipt',
    outcome: 'none',
    tell: (story) => strip(receipt(story, 'minted'), 'logsBloom'),
  },
  {
    name: 'an unknown type of a receipt',
    outcome: 'none',
    tell: (story) => void (receipt(story, 'received')['type'] = '0x7d'),
  },
];

const statuses: readonly EvmLie[] = [
  {
    name: 'a failed transaction as a successful one',
    outcome: 'refused',
    tell: (story) => void (receipt(story, 'failed')['status'] = '0x1'),
  },
  {
    // The encoding of no status is that of status 0.
    name: 'no status of a failed transaction',
    outcome: 'refused',
    tell: (story) => strip(receipt(story, 'failed'), 'status'),
  },
  {
    name: 'no root for the status of a failed transaction',
    outcome: 'refused',
    tell: (story) => void Object.assign(receipt(story, 'failed'), { status: null, root: '0x' }),
  },
  {
    name: 'a failed transaction as a successful one, under a header member',
    outcome: 'block',
    tell: (story) => {
      receipt(story, 'failed')['status'] = '0x1';
      return recompute(story);
    },
  },
  {
    name: 'a payment as a failed one, under a header member',
    outcome: 'block',
    tell: (story) => {
      receipt(story, 'received')['status'] = '0x0';
      return recompute(story);
    },
  },
];

const moves: readonly EvmLie[] = [
  {
    name: 'a credit inside of a call',
    outcome: 'attested',
    tell: (story) => addMove(story, PLACE.strange, { from: STRANGER, to: VICTIM }),
  },
  {
    name: 'a debit inside of a call',
    outcome: 'attested',
    tell: (story) => addMove(story, PLACE.forwarded, { from: VICTIM, to: STRANGER }),
  },
  {
    name: 'one more credit of a payment',
    outcome: 'attested',
    tell: (story) => addMove(story, PLACE.received, { from: STRANGER, to: BOB }),
  },
];

export const EVM_LIES: readonly EvmLie[] = [...logs, ...payments, ...stripped, ...statuses, ...moves];
