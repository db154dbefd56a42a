// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

// Accounts of the mnemonic "abandon … about", and the first addresses that wallets show for it.
const COINS = [
  {
    name: 'Litecoin, zpub',
    chain_gid: 'bip122:12a765e31ffd4059bada1e25190f6e98',
    key: 'zpub6rPo5mF47z5coVm5rvWv7fv181awb7Vckn5Cf3xQXBVKu18kuBHDhNi1Jrb4br6vVD3ZbrnXemEsWJoR18mZwkUdzwD8TQnHDUCGxqZ6swA',
    path: "m/84'/2'/0'",
    first: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
  },
  {
    name: 'Litecoin, Ltub',
    chain_gid: 'bip122:12a765e31ffd4059bada1e25190f6e98',
    key: 'Ltub2YDQmP391UYeDYvLye9P1SuNJFkcRGN7SYHM8JMxaDnegcPTXHJ2BnYmvHnFnGPGKu2WMuCga6iZV3SDxDMGrRyMcrYEfSPhrpS1EPkC43E',
    path: "m/44'/2'/0'",
    first: 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez',
  },
  {
    name: 'Dogecoin, dgub',
    chain_gid: 'bip122:1a91e3dace36e2be3bf030a65679fe82',
    key: 'dgub8rUhDtD3YFGZTUphBfpBbzvFxSMKQXYLzg87Me2ta78r2SdVLmypBUkkxrrn9RTnchsyiJSkHZyLWxD13ibBiXtuFWktBoDaGaZjQUBLNLs',
    path: "m/44'/3'/0'",
    first: 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC',
  },
  {
    name: 'Bitcoin Cash, xpub',
    chain_gid: 'bip122:000000000000000000651ef99cb9fcbe',
    key: 'xpub6ByHsPNSQXTWZ7PLESMY2FufyYWtLXagSUpMQq7Un96SiThZH2iJB1X7pwviH1WtKVeDP6K8d6xxFzzoaFzF3s8BKCZx8oEDdDkNnp4owAZ',
    path: "m/44'/145'/0'",
    first: 'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
  },
] as const;

describe('POST /public_keys of another coin', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each(COINS)('$name', async ({ chain_gid, key, path, first }) => {
    const sent = { extended_public_key: key, derivation_path: path };
    const { body } = await world.api.post('/public_keys').send(sent).expect(201);
    expect(body).toMatchObject({ ...sent, chain_gid });
    const next = await world.api.post(`/public_keys/${body.id}/addresses/next`).expect(201);
    expect(next.body).toMatchObject({ address: first, derivation_path: `${path}/0/0` });
    expect(Object.keys(next.body.monitoring)).toEqual([chain_gid]);
  });

  it('is 422 for a purpose that the coin has not', async () => {
    const { body } = await world.api
      .post('/public_keys')
      .send({ extended_public_key: COINS[3].key, derivation_path: "m/84'/145'/0'" })
      .expect(422);
    expect(body.fields).toEqual([
      { name: 'derivation_path', reason: expect.stringContaining('Bitcoin Cash, which has no segwit') },
    ]);
  });
});
