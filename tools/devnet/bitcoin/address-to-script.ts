// SPDX-License-Identifier: Apache-2.0
import { address, networks, script } from 'bitcoinjs-lib';

/** The script that pays to an address of Bitcoin Core's regtest. @throws Error when it is none */
export function addressToScript(text: string): Uint8Array {
  const { bech32 } = networks.regtest;
  // The library wants an elliptic curve for Taproot, to check a point that nobody pays attention to here.
  if (!text.toLowerCase().startsWith(`${bech32}1p`)) return address.toOutputScript(text, networks.regtest);
  return script.compile([script.OPS.OP_1!, address.fromBech32(text).data]);
}
