// SPDX-License-Identifier: Apache-2.0
import { parseRedisUrl } from './redis-url.ts';

it.each([
  ['redis://a:1/2', { type: 'server', url: 'redis://a:1/2' }],
  [
    'redis+cluster://a:7000,b',
    {
      type: 'cluster',
      hosts: [
        { host: 'a', port: 7_000 },
        { host: 'b', port: 6_379 },
      ],
      isTls: false,
    },
  ],
  [
    'rediss+cluster://u%40:p%3A:w@[::1]:1',
    { type: 'cluster', hosts: [{ host: '::1', port: 1 }], isTls: true, username: 'u@', password: 'p::w' },
  ],
  [
    'redis+sentinel://:pw@a,b:2/main/3?sentinel_username=s&sentinel_password=q%26',
    {
      type: 'sentinel',
      hosts: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 2 },
      ],
      isTls: false,
      password: 'pw',
      master: 'main',
      database: 3,
      sentinelUsername: 's',
      sentinelPassword: 'q&',
    },
  ],
])('%s', (text, address) => {
  expect(parseRedisUrl(text)).toEqual(address);
});

it.each([
  '',
  'a',
  'http://a',
  'redis+x://a',
  'redis+cluster://',
  'redis+cluster://a,',
  'redis+cluster://a:x',
  'redis+cluster://a:70000',
  'redis+cluster://a/1',
  'redis+cluster://%zz:a@b',
  'redis+sentinel://a',
  'redis+sentinel://a/',
  'redis+sentinel://a/main/x',
  'redis+sentinel://a/main/1/2',
  'redis+sentinel://a/main?password=x',
])('is no address of Redis: %j', (text) => {
  expect(parseRedisUrl(text)).toBeUndefined();
});
