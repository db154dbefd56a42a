// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generateApiKey } from '@chainwatch/common/api-key';
import { findBearer } from './authenticator.ts';

const key = generateApiKey({ label: 'svc', type: 'rpc', randomBytes });
const other = generateApiKey({ label: 'svc', type: 'rpc', randomBytes });
const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const find = (url: string, headers: Record<string, string> = {}) => findBearer({ url, headers }, 'svc');

it.each([
  ['X-Api-Key', '/tron/wallet/getnowblock?visible=true', { 'x-api-key': key }],
  ['Bearer', '/tron/wallet/getnowblock?visible=true', { authorization: `bearer  ${key}` }],
  ['the password of Basic', '/tron/wallet/getnowblock?visible=true', { authorization: basic(`some:${key}`) }],
  ['the query, first', `/tron/wallet/getnowblock?api-key=${key}&visible=true`, {}],
  [
    'the query, last and escaped',
    `/tron/wallet/getnowblock?visible=true&api%2Dkey=${key.replaceAll('_', '%5F')}`,
    {},
  ],
  ['the path', `/tron/${key}/wallet/getnowblock?visible=true`, {}],
  [
    'all of them, where it is the same',
    `/tron/${key}/wallet/getnowblock?api-key=${key}&visible=true&api-key=${key}`,
    { 'x-api-key': key, authorization: basic(`:${key}`) },
  ],
])('is found in %s, and nothing is left of it', (_where, url, headers) => {
  expect(find(url, headers)).toEqual({
    key,
    isTwofold: false,
    name: 'tron',
    rest: '/wallet/getnowblock?visible=true',
  });
});

it.each([
  ['/ethereum', ''],
  ['/ethereum/', ''],
  [`/ethereum?api-key=${key}`, ''],
  [`/ethereum/?api-key=${key}`, ''],
  [`/ethereum/${key}`, ''],
  [`/ethereum/${key}/`, ''],
  ['/ethereum?', '?'],
  ['/ethereum?x=1', '?x=1'],
  [`/ethereum?api-key=${key}&x=%zz`, '?x=%zz'],
])('of %s nothing is left but %j', (url, rest) => {
  expect(find(url, { 'x-api-key': key })).toEqual({ key, isTwofold: false, name: 'ethereum', rest });
});

it('is no key in the path where its checksum is wrong', () => {
  expect(find(`/ethereum/${wrong}`)).toEqual({
    key: undefined,
    isTwofold: false,
    name: 'ethereum',
    rest: `/${wrong}`,
  });
});

it.each([
  ['header and query', `/ethereum?api-key=${other}`, { 'x-api-key': key }],
  ['header and path', `/ethereum/${other}`, { 'x-api-key': key }],
  ['two headers', '/ethereum', { 'x-api-key': key, authorization: `Bearer ${other}` }],
  ['a query twice', `/ethereum?api-key=${key}&api-key=${other}`, {}],
])('different ones count as none: %s', (_where, url, headers) => {
  expect(find(url, headers)).toEqual({ key: undefined, isTwofold: true, name: 'ethereum', rest: '' });
});

it('counts before what has not its form', () => {
  expect(
    find(`/ethereum?api-key=x`, { authorization: basic(`some:${wrong}`), 'x-api-key': key }),
  ).toMatchObject({ key, isTwofold: false });
  expect(find('/ethereum', { authorization: `Bearer ${key}`, 'x-api-key': wrong })).toMatchObject({
    key,
    isTwofold: false,
  });
  expect(find('/ethereum', { authorization: `Bearer ${wrong}` })).toMatchObject({
    key: wrong,
    isTwofold: false,
  });
});

it.each(['Digest username="a"', 'Basic', basic('some:'), basic('some'), 'Basic ?'])(
  'what holds none is left alone: %s',
  (authorization) => {
    expect(find('/ethereum', { authorization })).toMatchObject({ key: undefined, isTwofold: false });
    expect(find('/ethereum', { authorization, 'x-api-key': key })).toMatchObject({ key, isTwofold: false });
  },
);
