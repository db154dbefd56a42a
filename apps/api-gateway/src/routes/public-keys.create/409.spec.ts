// SPDX-License-Identifier: Apache-2.0
import {
  accounts,
  bip84AsXpub,
  bitcoinRegtest,
  bitcoinTestnet,
  bodyOf,
} from '../../spec-support/public-keys.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST /public_keys with a key that the project has', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('refuses it in any spelling, however many come at once', async () => {
    const spellings = [
      bodyOf(accounts.bip84),
      { ...bodyOf(accounts.bip84), derivation_path: 'm/84h/0h/0h' },
      { extended_public_key: bip84AsXpub, derivation_path: accounts.bip84.path },
    ];
    const answers = await Promise.all(
      [...spellings, ...spellings].map((body) => world.api.post('/public_keys').send(body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      title: 'Conflict',
      type: 'https://docs.example.com/apis/problems/conflict',
    });
  });

  it('takes it for another purpose, whose addresses are others', async () => {
    await world.api
      .post('/public_keys')
      .send({ extended_public_key: bip84AsXpub, derivation_path: "m/86'/0'/0'" })
      .expect(201);
  });

  it('refuses a key of test networks on a second one that writes its addresses alike', async () => {
    await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts.testnet), chain_gid: bitcoinTestnet })
      .expect(201);
    await world.api
      .post('/public_keys')
      .send({ ...bodyOf(accounts.testnet), chain_gid: bitcoinRegtest })
      .expect(409);
    const asWitness = { extended_public_key: accounts.testnet.key, derivation_path: "m/84'/1'/0'" };
    await world.api
      .post('/public_keys')
      .send({ ...asWitness, chain_gid: bitcoinTestnet })
      .expect(201);
    await world.api
      .post('/public_keys')
      .send({ ...asWitness, chain_gid: bitcoinRegtest })
      .expect(201);
  });
});
