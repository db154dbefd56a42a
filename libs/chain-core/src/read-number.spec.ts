// SPDX-License-Identifier: Apache-2.0
import { readNumber } from './read-number.ts';

const read = (text: string, ...path: string[]): number | undefined => readNumber(Buffer.from(text), path);

it.each([
  ['{"result":7}', ['result'], 7],
  ['{"result":"0x1f"}', ['result'], 31],
  [
    ' { "a" : {"slot":1}, "result" : { "context" : { "apiVersion":"2", "slot" : 9 } } }',
    ['result', 'context', 'slot'],
    9,
  ],
  ['{"result":{"text":"\\"slot\\":5,\\\\","slot":6}}', ['result', 'slot'], 6],
  ['{"result":{"inner":{"slot":5},"list":[{"slot":4}],"slot":6}}', ['result', 'slot'], 6],
  ['{"result":[{"number":"0x2"},{"number":"0x3"}]}', ['result', '0', 'number'], 2],
  ['{"result":{"slot":6,"rest":"cut', ['result', 'slot'], 6],
])('%s at %j is %j', (text, path, number) => {
  expect(read(text, ...path)).toBe(number);
});

it.each([
  ['', ['result']],
  ['null', ['result']],
  ['{}', ['result']],
  ['[]', ['0']],
  ['{"result":null}', ['result']],
  ['{"result":"7"}', ['result']],
  ['{"result":-7}', ['result']],
  ['{"result":1.5}', ['result']],
  ['{"result":1e3}', ['result']],
  ['{"result":12', ['result']],
  ['{"result":{"a":"\\"slot\\":5"}}', ['result', 'slot']],
  ['{"result":"0x11111111111111"}', ['result']],
  ['{"result":"0x"}', ['result']],
  ['{"a":{"result":7}}', ['result']],
  ['{"a":[1,2,"]","result":7]}', ['result']],
])('%s at %j is no number', (text, path) => {
  expect(read(text, ...path)).toBeUndefined();
});
