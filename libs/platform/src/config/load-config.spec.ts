// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  boolean,
  cidrList,
  commaList,
  ConfigError,
  durationMs,
  file,
  integer,
  json,
  jsonFile,
  loadConfig,
  port,
  serviceConfig,
  url,
  urls,
} from './index.ts';

const KEY = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

describe('loadConfig', () => {
  it('parses what a service needs and fills in the defaults', () => {
    const schema = serviceConfig.extend({ POLL: durationMs().default(1_000) });
    const config = loadConfig(schema, {
      DATABASE_URL: 'postgresql://u:p@db/x',
      SECRETS_KEYS: KEY,
      CHAIN_ENDPOINTS: '{"eip155:1":["https://node/key"]}',
      OUTBOUND_ALLOW: '127.0.0.0/8, ::1',
      REDIS_URL: '',
    });
    expect(config).toMatchObject({
      NATS_URL: 'nats://127.0.0.1:4222',
      PORT: 8080,
      HEALTH_PORT: 0,
      LOG_LEVEL: 'info',
      NAMESPACE_LABEL: 'svc',
      POLL: 1_000,
    });
    expect(config.CHAIN_ENDPOINTS).toEqual({ 'eip155:1': ['https://node/key'] });
    expect(config.OUTBOUND_ALLOW).toEqual(['127.0.0.0/8', '::1']);
    expect(config.INSTANCE_ID).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{8}$`));
    expect(config.REDIS_URL).toBeUndefined();
  });

  it('lists every wrong name at once, without the values', () => {
    const env = {
      NATS_URL: 'http://secret-host',
      PORT: '99999',
      LOG_LEVEL: 'loud',
      NAMESPACE_LABEL: 'X',
      SECRETS_KEYS: 'k1:hunter2',
      OUTBOUND_ALLOW: '300.0.0.0/8',
      CHAIN_ENDPOINTS: '{"eip155:1":["no url"]}',
      INDEX_ENDPOINTS: '{"bip122:1":"ws://index-host"}',
    };
    let error: unknown;
    try {
      loadConfig(serviceConfig, env);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const { message, problems } = error as ConfigError;
    expect(problems.map(({ name }) => name).sort()).toEqual([
      'CHAIN_ENDPOINTS',
      'DATABASE_URL',
      'INDEX_ENDPOINTS',
      'LOG_LEVEL',
      'NAMESPACE_LABEL',
      'NATS_URL',
      'OUTBOUND_ALLOW',
      'PORT',
      'SECRETS_KEYS',
    ]);
    expect(message.split('\n')).toHaveLength(10);
    expect(message).toContain('DATABASE_URL: is required');
    expect(message).not.toMatch(/hunter2|secret-host|index-host/);
  });
});

describe('variables', () => {
  const read = <T>(type: z.ZodType<T, string>, text: string): T =>
    (loadConfig(z.object({ X: type }), { X: text }) as { X: T }).X;

  it.each([
    ['250ms', 250],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['42', 42],
  ])('reads the duration %s', (text, expected) => expect(read(durationMs(), text)).toBe(expected));

  it('reads the path of a file that is there', () => {
    expect(read(file(), import.meta.filename)).toBe(import.meta.filename);
    expect(() => read(file(), '/nowhere/user.creds')).toThrow(/X: expected the path of a file/);
  });

  it('reads a JSON file, and names everything that is wrong in it', () => {
    const packageFile = fileURLToPath(new URL('../../package.json', import.meta.url));
    expect(read(jsonFile(z.object({ name: z.string() })), packageFile)).toEqual({
      name: '@chainwatch/platform',
    });
    const others = jsonFile(z.object({ name: z.int(), rows: z.array(z.string()) }));
    expect(() => read(others, packageFile)).toThrow(/X: at name: .*\n {2}X: at rows: /);
    expect(() => read(others, import.meta.filename)).toThrow(/X: expected JSON/);
    expect(() => read(others, '/nowhere.json')).toThrow(/X: expected the path of a file/);
  });

  it('reads the others', () => {
    expect(read(port(), '0')).toBe(0);
    expect(read(integer(1, 5), '5')).toBe(5);
    expect(read(boolean(), 'off')).toBe(false);
    expect(read(boolean(), 'TRUE')).toBe(true);
    expect(read(commaList(), 'a, b,,c')).toEqual(['a', 'b', 'c']);
    expect(read(cidrList(), '10.0.0.0/8,fe80::/10,127.0.0.1')).toHaveLength(3);
    expect(read(json(z.array(z.number())), '[1,2]')).toEqual([1, 2]);
    expect(read(urls('nats'), 'nats://a:1,nats://b:2')).toBe('nats://a:1,nats://b:2');
  });

  it.each([
    ['port', () => read(port(), '65536')],
    ['integer below', () => read(integer(1), '0')],
    ['integer text', () => read(integer(1), '1.5')],
    ['boolean', () => read(boolean(), 'maybe')],
    ['url', () => read(url('https'), 'http://a')],
    ['urls', () => read(urls('nats'), 'nats://a,redis://b')],
    ['duration', () => read(durationMs(), '5 weeks')],
    ['cidr bits', () => read(cidrList(), '10.0.0.0/33')],
    ['json', () => read(json(z.array(z.number())), '[1,')],
    ['json shape', () => read(json(z.array(z.number())), '["a"]')],
  ])('refuses a wrong %s', (_, act) => expect(act).toThrow(ConfigError));
});
