// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';

export const KEY_BYTES = 32;
/** 96 bits, as NIST SP 800-38D recommends for random IVs. */
export const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** @returns the ciphertext with the 16 bytes of the tag behind it */
export function encrypt(
  key: Buffer,
  {
    iv,
    plaintext,
    authenticated,
  }: { readonly iv: Buffer; readonly plaintext: Buffer; readonly authenticated: Buffer },
): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(authenticated);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when key, iv, ciphertext, tag or authenticated data are not those of the encryption */
export function decrypt(
  key: Buffer,
  {
    iv,
    sealed,
    authenticated,
  }: { readonly iv: Buffer; readonly sealed: Buffer; readonly authenticated: Buffer },
): Buffer {
  if (sealed.length < TAG_BYTES)
    throw new RangeError(`expected at least ${TAG_BYTES} bytes, got ${sealed.length}`);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(authenticated);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
}
