// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { listNetworks } from './networks.ts';

// The page on balances lists where balances change without a transaction: made from the catalogue.

const PAGE = new URL('../../../docs/concepts/balances.md', import.meta.url);
const TABLE = /(<!-- untold -->\n)[^]*?(<!-- \/untold -->)/;

function render(): string {
  const rows = listNetworks().flatMap(({ displayName, isLocal, untoldReasons }) =>
    untoldReasons === undefined || isLocal === true
      ? []
      : [`| ${displayName} | ${untoldReasons.map((reason) => `\`${reason}\``).join(', ')} |\n`],
  );
  return `| Network | Told by \`balance.changed\` alone |\n|---|---|\n${rows.join('')}`;
}

it('the page on balances has the table of the networks; UPDATE_DOCS=1 writes it', () => {
  const page = readFileSync(PAGE, 'utf8');
  const wanted = page.replace(TABLE, `$1${render()}$2`);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
});

it('every kind of network says what it knows', () => {
  const known = new Map(listNetworks().map(({ name, untoldReasons }) => [name, untoldReasons]));
  expect(known.get('gnosis')).toEqual(['reward', 'adjustment']);
  expect(known.get('avalanche')).toEqual(['atomic']);
  expect(known.get('bitcoin')).toBeUndefined();
});
