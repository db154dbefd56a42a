// SPDX-License-Identifier: Apache-2.0
import { matchCommands } from './match-commands.ts';

const COMMANDS = [
  { title: 'Addresses' },
  { title: 'Add address', words: 'new monitor' },
  { title: 'Import addresses', words: 'csv file' },
  { title: 'RPC gateway' },
];
const find = (text: string): string[] => matchCommands(COMMANDS, text).map(({ title }) => title);

it.each([
  ['', ['Addresses', 'Add address', 'Import addresses', 'RPC gateway']],
  ['addr', ['Addresses', 'Add address', 'Import addresses']],
  ['add addr', ['Add address']],
  ['ADDRESS add', ['Add address']],
  ['  csv  ', ['Import addresses']],
  ['gate', ['RPC gateway']],
  ['way', []],
  ['0x5feceb', []],
])('finds by the beginnings of words: %j', (text, titles) => {
  expect(find(text)).toEqual(titles);
});
