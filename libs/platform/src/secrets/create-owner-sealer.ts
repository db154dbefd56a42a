// SPDX-License-Identifier: Apache-2.0
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES } from './aes-gcm.ts';
import { SealedValueError } from './sealed-value-error.ts';

/** Seals for an owner, who must bring the secret again to open it. None of the service's keys opens what is stored. */
export interface OwnerSealer {
  seal(plaintext: Buffer): Buffer;
  /** @throws SealedValueError */
  open(sealed: Buffer): Buffer;
  /** 32 bytes, the same for equal texts. Only the owner's secret computes them. */
  fingerprint(text: string): Buffer;
}

const KEY_ID = 'owner';

/**
 * @param secret of the owner, 128 bits of entropy or more
 * @param context names the record: the keys of each are its own (HKDF-SHA-256, RFC 5869)
 */
export function createOwnerSealer(secret: string, context: string): OwnerSealer {
  const [sealing, marking] = ['seal', 'fingerprint'].map((purpose) =>
    Buffer.from(hkdfSync('sha256', secret, '', `chainwatch owner ${purpose} ${context}`, KEY_BYTES)),
  ) as [Buffer, Buffer];
  const authenticated = Buffer.from(context, 'utf8');
  return {
    seal(plaintext) {
      const iv = randomBytes(IV_BYTES);
      return Buffer.concat([iv, encrypt(sealing, { iv, plaintext, authenticated })]);
    },
    open(sealed) {
      try {
        return decrypt(sealing, {
          iv: sealed.subarray(0, IV_BYTES),
          sealed: sealed.subarray(IV_BYTES),
          authenticated,
        });
      } catch {
        throw new SealedValueError('tampered', KEY_ID);
      }
    },
    fingerprint: (text) => createHmac('sha256', marking).update(text, 'utf8').digest(),
  };
}
