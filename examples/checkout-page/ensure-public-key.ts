import type { Chainwatch } from '@chainwatch/sdk';

/** A wallet of the local chain whose seed everybody may know. Yours stays offline: this key makes addresses, and spends nothing. */
const LOCAL_KEY =
  'vpub5Y7S2gkkNUnfFdBDhB4S3CYp2M5tbR19cwJoH5ZZdvFugMwQEMNNzL6zBTBpV34EUMbSQrPt6gork9CDeDdn3DENaobB76QMsBxQJBN5qBK';
const LOCAL_PATH = "m/84'/1'/0'";
const LOCAL_CHAIN = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';

export interface ShopKey {
  readonly id: string;
  /** What orders are paid in. */
  readonly assetGid: string;
}

/** The account of the shop, registered at the first start. */
export async function ensurePublicKey(chainwatch: Chainwatch): Promise<ShopKey> {
  const extended = process.env.EXTENDED_PUBLIC_KEY ?? LOCAL_KEY;
  const path = process.env.DERIVATION_PATH ?? LOCAL_PATH;
  const chain = process.env.CHAIN_GID ?? LOCAL_CHAIN;
  const coin = chain === LOCAL_CHAIN ? 1 : 0;
  const toKey = (id: string): ShopKey => ({ id, assetGid: `${chain}/slip44:${coin}` });
  for await (const { id, extended_public_key: known } of chainwatch.publicKeys.list({ limit: 100 }))
    if (known === extended) return toKey(id);
  const { id } = await chainwatch.publicKeys.create({
    extended_public_key: extended,
    derivation_path: path,
    chain_gid: chain,
    label: 'checkout-page',
  });
  return toKey(id);
}
