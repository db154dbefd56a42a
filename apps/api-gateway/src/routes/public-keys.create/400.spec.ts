// SPDX-License-Identifier: Apache-2.0
import { accounts, bitcoin, bodyOf } from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const { key, path } = accounts.bip84;
// The account's private key, published with BIP-84.
const zprv =
  'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE';
const ypubMultisig =
  'Ypub6bjiAGLUbFHxnPoWyFPcQaHjfgZmrMSPhQQmvV4CCGFPhVMKfcLwnQuKbWjYbBE1W3BKMhcKs2Yo2HNBhtxWGeMQPwg3CcUHgbcZ5gaFXFo';

describe('POST /public_keys with what is no account key', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each([
    ['extended_public_key', { derivation_path: path }, 'got nothing'],
    ['derivation_path', { extended_public_key: key }, 'got nothing'],
    ['extended_public_key', { extended_public_key: 1, derivation_path: path }, 'expected a string'],
    ['extended_public_key', { extended_public_key: '', derivation_path: path }, 'at least 1 character'],
    [
      'extended_public_key',
      { extended_public_key: 'x'.repeat(257), derivation_path: path },
      'at most 256 characters',
    ],
    ['extended_public_key', { extended_public_key: zprv, derivation_path: path }, 'got a private key'],
    ['extended_public_key', { extended_public_key: ypubMultisig, derivation_path: path }, 'expected'],
    [
      'extended_public_key',
      { extended_public_key: `${key.slice(0, -1)}t`, derivation_path: path },
      'checksum',
    ],
    [
      'extended_public_key',
      { extended_public_key: 'nonsense', derivation_path: path },
      'expected 111 characters of Base58, got 8',
    ],
    ['derivation_path', { extended_public_key: key, derivation_path: "m/84'/0'" }, 'got "m/84\'/0\'"'],
    [
      'derivation_path',
      { extended_public_key: key, derivation_path: "m/45'/0'/0'" },
      "44', 49', 84' or 86', got 45'",
    ],
    ['label', { ...bodyOf(accounts.bip84), label: '' }, 'at least 1 character'],
    ['gap_limit', { ...bodyOf(accounts.bip84), gap_limit: 0 }, 'at least 1'],
    ['gap_limit', { ...bodyOf(accounts.bip84), gap_limit: 1_001 }, 'at most 1000'],
    ['chain_gid', { ...bodyOf(accounts.bip84), chain_gid: 'bitcoin' }, 'expected'],
    ['purpose', { ...bodyOf(accounts.bip84), purpose: 84 }, 'expected no'],
  ])('names the field %s of %j', async (field, body, reason) => {
    const { body: problem } = await world.api.post('/public_keys').send(body).expect(400);
    expect(problem.fields).toContainEqual({ name: field, reason: expect.stringContaining(reason) });
  });

  it.each([
    ['extended_public_key', { extended_public_key: zprv, derivation_path: path }],
    ['derivation_path', { extended_public_key: key, derivation_path: zprv }],
    ['extended_public_key', { extended_public_key: `${zprv}x`, derivation_path: path }],
  ])('neither repeats nor logs a private key in %s', async (_field, body) => {
    const warnings: unknown[] = [];
    const warn = world.deps.logger.warn;
    Object.assign(world.deps.logger, { warn: (...args: unknown[]) => warnings.push(args) });
    const { text } = await world.api.post('/public_keys').send(body).expect(400);
    Object.assign(world.deps.logger, { warn });
    for (const shown of [text, JSON.stringify(warnings), JSON.stringify(world.failures)])
      expect(shown).not.toContain(zprv.slice(4, 16));
  });

  it.each([
    [
      'zpub under 44',
      { extended_public_key: key, derivation_path: "m/44'/0'/0'" },
      "purpose 84' for the prefix zpub, got 44'",
    ],
    [
      'a coin type of test networks',
      { extended_public_key: key, derivation_path: "m/84'/1'/0'" },
      "coin type of a main network for the prefix zpub, got 1'",
    ],
    [
      'a coin type of Bitcoin',
      { extended_public_key: accounts.testnet.key, derivation_path: "m/49'/0'/0'" },
      "coin type 1' for the prefix tpub, got 0'",
    ],
    ['another account', { extended_public_key: key, derivation_path: "m/84'/0'/1'" }, "(0'), got 1'"],
    ['another chain', { ...bodyOf(accounts.testnet), chain_gid: bitcoin }, bitcoin],
    ['a chain of another family', { ...bodyOf(accounts.bip84), chain_gid: 'eip155:1' }, 'eip155:1'],
  ])('is 422 for %s', async (_name, body, reason) => {
    const { body: problem } = await world.api.post('/public_keys').send(body).expect(422);
    expect(problem).toMatchObject({
      title: 'Unprocessable Entity',
      detail: expect.stringContaining(reason),
      fields: [{ name: 'derivation_path', reason: expect.stringContaining(reason) }],
    });
  });
});
