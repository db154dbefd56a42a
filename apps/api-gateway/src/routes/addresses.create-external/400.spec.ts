// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const value = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

describe('POST /addresses/external with what is no address', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each([
    ['value', { value: '0x12', chain_family: 'evm' }],
    ['value', { value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046', chain_family: 'evm' }],
    ['value', { value: '', chain_family: 'evm' }],
    ['value', { value: 1, chain_family: 'evm' }],
    ['value', { chain_family: 'evm' }],
    ['chain_family', { value }],
    ['chain_family', { value, chain_family: 'cosmos' }],
    ['chain_family', { value, chain_family: 'evm', chainFamily: 'tron' }],
    ['label', { value, chain_family: 'evm', label: 'x'.repeat(256) }],
    ['metadata', { value, chain_family: 'evm', metadata: 'x' }],
    ['from_block', { value, chain_family: 'evm', from_block: 1 }],
    ['from_block', { value, chain_family: 'bitcoin', from_block: -1 }],
    ['address', { value, chain_family: 'evm', address: value }],
  ])('names the field %s of %j', async (field, body) => {
    const { body: problem } = await world.api.post('/addresses/external').send(body).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
  });

  it.each([
    [
      'evm',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
      'checksum (EIP-55) is wrong: expected 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ],
    ['evm', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae', 'got 39 digits'],
    ['evm', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg', 'got "g" as character 42'],
    ['bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'checksum (Base58Check) is wrong: expected '],
    ['bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNV0O', 'got "0" as character 33'],
    [
      'bitcoin',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
      'expected the one of Bech32 (BIP-173) or Bech32m (BIP-350)',
    ],
    [
      'bitcoin',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
      'expected Bech32 for witness version 0, got Bech32m',
    ],
    [
      'bitcoin',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
      'expected Bech32m for witness version 1, got Bech32',
    ],
    ['bitcoin', 'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'expected all lower or all upper case'],
    [
      'bitcoin',
      'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
      'expected 20 or 32 bytes for witness version 0, got 16',
    ],
    ['bitcoin', 'vtc1qw508d6qejxtdg4y5r3zarvary0c5xw7kuk9r06', 'got "vtc1" (Vertcoin)'],
    ['bitcoin', 'XbKzysY6LYGbsGwNG8B7K1BRoA1ffLodAT', 'got 0x4c (Dash)'],
    [
      'bitcoin',
      'ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf',
      'extension block (MWEB)',
    ],
    ['bitcoin', 'bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg3', 'checksum (CashAddr) is wrong'],
    [
      'solana',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt',
      'expected 32 bytes in 32 to 44 characters (Base58), got 31 bytes',
    ],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt0v', 'got "0" as character 43'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum (Base58Check) is wrong'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj', 'expected 34 characters (Base58Check), got 32'],
    ['tron', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'expected the version byte 0x41 (TRON), got 0x00'],
  ])('says of the %s address %s what is wrong', async (chain_family, text, reason) => {
    const { body: problem } = await world.api
      .post('/addresses/external')
      .send({ value: text, chain_family })
      .expect(400);
    expect(problem.fields).toEqual([{ name: 'value', reason: expect.stringContaining(reason) }]);
  });
});
