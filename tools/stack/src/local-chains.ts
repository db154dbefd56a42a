/** The chains of `npm start`, and the family of each. */
export const EVM_CHAIN = 'eip155:31337';
/** The first half of the genesis hash of regtest. */
export const BITCOIN_CHAIN = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
export const SOLANA_CHAIN = 'solana:localnet';

export const TRON_CHAIN = 'tron:0x7a69';

export const familyOfLocalChain: Readonly<Record<string, string>> = {
  [EVM_CHAIN]: 'evm',
  [BITCOIN_CHAIN]: 'bitcoin',
  [SOLANA_CHAIN]: 'solana',
  [TRON_CHAIN]: 'tron',
};
