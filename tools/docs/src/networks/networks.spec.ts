// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { listFamilies } from '@chainwatch/chain-registry';
import { PROOFS } from './proofs.ts';
import { renderNetworks } from './render-networks.ts';

const PAGE = new URL('../../../../docs/networks.md', import.meta.url);

it('the page on networks is what the catalogue and the calendar say; UPDATE_DOCS=1 writes it', () => {
  const wanted = renderNetworks(listFamilies());
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted);
  else expect(readFileSync(PAGE, 'utf8')).toBe(wanted);
});

it('says what is proved of networks that there are', () => {
  const names = listFamilies().flatMap(({ catalogue }) => catalogue.builtIn.map(({ name }) => name));
  expect(Object.keys(PROOFS).filter((name) => !names.includes(name))).toEqual([]);
});
