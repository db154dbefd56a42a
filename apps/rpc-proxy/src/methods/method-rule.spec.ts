// SPDX-License-Identifier: Apache-2.0
import type { ChainNotation } from '@chainwatch/chain-core';
import { loadFamilies } from '@chainwatch/chain-registry';
import { createMethodTable } from './method-rule.ts';

const families = await loadFamilies();
const named = (name: string): ChainNotation => families.find((family) => family.name === name)!;

describe.each(families.map((family) => [family.name, family] as const))('methods of %s', (name, family) => {
  const ruleOf = createMethodTable(family, families);

  it.each(['nonsense', '', 'constructor', '__proto__', 'eth_', 'x'.repeat(10_000)])(
    'that nobody knows go once, and are nobody’s: %j',
    (method) => {
      expect(ruleOf(method)).toEqual({
        method,
        kind: 'once',
        needsSend: false,
        isKnown: false,
        isAllowed: true,
        foreignFamily: undefined,
      });
    },
  );

  it('that sound like a write need the permission to send', () => {
    expect(ruleOf('x_sendSomething')).toMatchObject({ kind: 'once', needsSend: true, isKnown: false });
  });

  it('of one other family are told for that one’s', () => {
    const own = {
      evm: 'debug_traceCall',
      bitcoin: 'getblockhash',
      solana: 'getSlot',
      tron: 'wallet/getnowblock',
    };
    for (const [owner, method] of Object.entries(own)) {
      const { isKnown, foreignFamily } = ruleOf(method);
      expect([owner, isKnown, foreignFamily]).toEqual([
        owner,
        owner === name,
        owner === name ? undefined : owner,
      ]);
    }
  });

  it('that operators lock pass where they are unlocked', () => {
    const locked = { evm: 'admin_peers', bitcoin: 'stop', solana: 'exit', tron: 'monitor/getstats' }[name]!;
    expect(ruleOf(locked)).toMatchObject({ isAllowed: false, needsSend: true, isKnown: true });
    expect(createMethodTable(family, families, { unlock: [locked] })(locked)).toMatchObject({
      isAllowed: true,
    });
  });
});

it('takes a method that two families know for neither’s', () => {
  expect(createMethodTable(named('bitcoin'), families)('eth_call').foreignFamily).toBeUndefined();
});

it('remembers what it decided of a known method', () => {
  const ruleOf = createMethodTable(named('evm'), families);
  expect(ruleOf('eth_call')).toBe(ruleOf('eth_call'));
  expect(ruleOf('nonsense')).not.toBe(ruleOf('nonsense'));
});
