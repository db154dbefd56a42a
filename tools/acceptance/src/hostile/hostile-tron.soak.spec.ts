// SPDX-License-Identifier: Apache-2.0
import { TronChain } from '../tron/tron-chain.ts';
import { toBase58 } from '../tron/expect-transactions.ts';
import { describeHostile } from './describe-hostile.ts';
import { createMemos } from './hostile-memos.ts';
import { HostileAnswers, VIEWS } from './hostile-answers.ts';

const MEMO_BYTES_MAX = 2_000;

describe('hostile values on TRON', () => {
  describeHostile({
    chain: new TronChain(),
    target: ({ actor }) => toBase58(actor.accounts[2]!.hexAddress),
    victim: (chain) => chain.payee,
    createAttack: async ({ actor }, random) => {
      const memos = createMemos(random, MEMO_BYTES_MAX);
      const answers = new HostileAnswers(random);
      const [from, , target] = actor.accounts as [
        (typeof actor.accounts)[0],
        unknown,
        (typeof actor.accounts)[0],
      ];
      const to = target!.hexAddress;
      await actor.deploy('HostileFactory');
      return async () => {
        if (random.next() < 0.5) return actor.sendTrx(from!, { to, sun: 1n, data: memos.next() });
        const values = answers.nextValues();
        const args = [
          Object.values(VIEWS),
          answers.nextToken(),
          from!.hexAddress,
          values.map(() => to),
          values,
        ];
        return actor.call(from!, { contract: 'HostileFactory', name: 'play', args });
      };
    },
    payVictim: (chain) => chain.payPayee(),
    mine: (chain) => chain.mine(),
  });
});
