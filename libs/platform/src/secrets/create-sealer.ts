// SPDX-License-Identifier: Apache-2.0
import { randomBytes, createHmac, hkdfSync, createCipheriv, createDecipheriv } from 'node:crypto';
import { SealedValueError } from './sealed-value-error.ts';

export interface SealerKeys {
  /** 32 bytes each in base64, by key id. */
  readonly keys: Readonly<Record<string, string>>;
  /** The key that seals; the others only open. */
  readonly activeKeyId: string;
}

export interface Sealer {
  /**
   * Encrypts a text for one record: `context` names it (`webhook_secret:<id>`) and is needed to open it again, so that
   * a sealed value copied into another row does not open there.
   * @returns `v1.<key id>.<wrapped data key>.<iv>.<ciphertext>`, binary parts in base64url
   */
  seal(plaintext: string, context: string): string;
  /** @throws SealedValueError */
  open(sealed: string, context: string): string;
  /** True when another key than the active one sealed it. @throws SealedValueError when it is malformed */
  needsRotation(sealed: string): boolean;
  /** Seals anew under the active key. @throws SealedValueError */
  reseal(sealed: string, context: string): string;
}

const VERSION = 'v1';
const KEY_ID = /^[\w-]{1,32}$/;

/** Envelope encryption: each value has a data key of its own, which a master key wraps (AES-256-GCM, both). */
export function createSealer({ keys, activeKeyId }: SealerKeys): Sealer {
  const masters = new Map(Object.entries(keys).map(([id, text]) => [id, readKey(id, text)]));
  const active = masters.get(activeKeyId);
  if (active === undefined) throw new TypeError(`expected a key for the active id ${activeKeyId}, got none`);

  function seal(plaintext: string, context: string): string {
    const dataKey = randomBytes(KEY_BYTES);
    const wrapped = wrap(active!, { dataKey, keyId: activeKeyId, context });
    const iv = randomBytes(IV_BYTES);
    const body = encrypt(dataKey, {
      iv,
      plaintext: Buffer.from(plaintext, 'utf8'),
      authenticated: bodyContext(context),
    });
    dataKey.fill(0);
    return [VERSION, activeKeyId, ...[wrapped, iv, body].map((part) => part.toString('base64url'))].join('.');
  }

  function open(sealed: string, context: string): string {
    const { keyId, wrapped, iv, body } = parseSealed(sealed);
    const master = masters.get(keyId);
    if (master === undefined) throw new SealedValueError('unknown_key', keyId);
    try {
      const dataKey = decrypt(master, {
        iv: wrapped.subarray(0, IV_BYTES),
        sealed: wrapped.subarray(IV_BYTES),
        authenticated: keyContext(keyId, context),
      });
      return decrypt(dataKey, { iv, sealed: body, authenticated: bodyContext(context) }).toString('utf8');
    } catch {
      // The library's error adds nothing, and must not leak any part of the value.
      throw new SealedValueError('tampered', keyId);
    }
  }

  return {
    seal,
    open,
    needsRotation: (sealed) => parseSealed(sealed).keyId !== activeKeyId,
    reseal: (sealed, context) => seal(open(sealed, context), context),
  };
}

function wrap(
  master: Buffer,
  { dataKey, keyId, context }: { readonly dataKey: Buffer; readonly keyId: string; readonly context: string },
): Buffer {
  const iv = randomBytes(IV_BYTES);
  return Buffer.concat([
    iv,
    encrypt(master, { iv, plaintext: dataKey, authenticated: keyContext(keyId, context) }),
  ]);
}

/** Different for the two layers, so that neither can stand in for the other. */
function keyContext(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION} key ${keyId} ${context}`, 'utf8');
}

function bodyContext(context: string): Buffer {
  return Buffer.from(`${VERSION} value ${context}`, 'utf8');
}

function parseSealed(sealed: string): { keyId: string; wrapped: Buffer; iv: Buffer; body: Buffer } {
  const [version, keyId, ...parts] = sealed.split('.');
  if (version !== VERSION || keyId === undefined || !KEY_ID.test(keyId) || parts.length !== 3)
    throw new SealedValueError('malformed');
  const [wrapped, iv, body] = parts.map(readBase64Url) as [Buffer, Buffer, Buffer];
  if (iv.length !== IV_BYTES) throw new SealedValueError('malformed');
  return { keyId, wrapped, iv, body };
}

/** Accepts only the canonical spelling: Buffer would take stray characters and loose trailing bits. */
function readBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new SealedValueError('malformed');
  return bytes;
}

function readKey(id: string, text: string): Buffer {
  if (!KEY_ID.test(id))
    throw new TypeError(`expected a key id of 1 to 32 letters, digits, - and _, got "${id}"`);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES)
    throw new TypeError(`expected ${KEY_BYTES} bytes in base64 for key ${id}, got ${bytes.length}`);
  return bytes;
}

/**
 * Reads SECRETS_KEYS: `kid:base64,kid:base64`, the first one active. To rotate: put a new key in front,
 * reseal every value for which needsRotation() is true, then remove the old key.
 */
export function parseSecretsKeys(text: string): SealerKeys {
  const entries = text.split(',').map((part, index): [string, string] => {
    const [id = '', key = '', ...rest] = part.trim().split(':');
    if (id === '' || key === '' || rest.length > 0)
      throw new TypeError(`expected kid:base64 as entry ${index + 1} of the secrets keys`);
    return [id, key];
  });
  const keys = Object.fromEntries(entries);
  if (Object.keys(keys).length !== entries.length)
    throw new TypeError('expected different key ids in the secrets keys, got the same one twice');
  return { keys, activeKeyId: entries[0]![0] };
}

/** Seals for an owner, who must bring the secret again to open it. None of the service's keys opens what is stored. */
export interface OwnerSealer {
  seal(plaintext: Buffer): Buffer;
  /** @throws SealedValueError */
  open(sealed: Buffer): Buffer;
  /** 32 bytes, the same for equal texts. Only the owner's secret computes them. */
  fingerprint(text: string): Buffer;
}

const OWNER_KEY_ID = 'owner';

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
        throw new SealedValueError('tampered', OWNER_KEY_ID);
      }
    },
    fingerprint: (text) => createHmac('sha256', marking).update(text, 'utf8').digest(),
  };
}

const KEY_BYTES = 32;
/** 96 bits, as NIST SP 800-38D recommends for random IVs. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** @returns the ciphertext with the 16 bytes of the tag behind it */
function encrypt(
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
function decrypt(
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
