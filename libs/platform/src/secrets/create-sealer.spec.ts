// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSealer, parseSecretsKeys, SealedValueError } from './index.ts';

const key = (): string => randomBytes(32).toString('base64');
const keys = { old: key(), new: key() };
const old = createSealer({ keys, activeKeyId: 'old' });
const sealer = createSealer({ keys, activeKeyId: 'new' });
const text = fc.string({ unit: 'grapheme', maxLength: 200 });

function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SealedValueError) return error.problem;
    throw error;
  }
  return 'opened';
}

describe('createSealer', () => {
  it('opens what it sealed, for the same record only', () => {
    fc.assert(
      fc.property(text, text, text, (plaintext, context, other) => {
        const sealed = sealer.seal(plaintext, context);
        expect(sealer.open(sealed, context)).toBe(plaintext);
        if (other !== context) expect(problemOf(() => sealer.open(sealed, other))).toBe('tampered');
      }),
    );
  });

  it('seals the same text differently each time', () => {
    const sealed = Array.from({ length: 50 }, () => sealer.seal('secret', 'a').split('.').slice(2));
    for (const position of [0, 1, 2]) expect(new Set(sealed.map((parts) => parts[position])).size).toBe(50);
  });

  it('does not open when any character is changed, removed or added', () => {
    const sealed = sealer.seal('a secret of some length', 'a');
    fc.assert(
      fc.property(
        fc.nat(sealed.length - 1),
        fc.constantFrom(...'ABCxyz019-_.=+ é'),
        fc.constantFrom('change', 'remove', 'insert'),
        (at, character, how) => {
          const tail = sealed.slice(how === 'insert' ? at : at + 1);
          const changed = sealed.slice(0, at) + (how === 'remove' ? '' : character) + tail;
          if (changed !== sealed) expect(problemOf(() => sealer.open(changed, 'a'))).not.toBe('opened');
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('does not open a mixture of two values of one record', () => {
    const [first, second] = [sealer.seal('one', 'a').split('.'), sealer.seal('two', 'a').split('.')];
    for (const position of [2, 3, 4]) {
      const mixed = first.map((part, index) => (index === position ? second[position] : part)).join('.');
      expect(problemOf(() => sealer.open(mixed, 'a'))).toBe('tampered');
    }
  });

  it('opens what an older key sealed, and seals it anew', () => {
    const sealed = old.seal('secret', 'a');
    expect(sealed).toMatch(/^v1\.old\./);
    expect(sealer.needsRotation(sealed)).toBe(true);
    const resealed = sealer.reseal(sealed, 'a');
    expect(sealer.needsRotation(resealed)).toBe(false);
    expect(createSealer({ keys: { new: keys.new }, activeKeyId: 'new' }).open(resealed, 'a')).toBe('secret');
  });

  it('says what is wrong without saying the value', () => {
    const secret = 'hunter2-hunter2';
    const sealed = sealer.seal(secret, 'a');
    const onlyOld = createSealer({ keys: { old: keys.old }, activeKeyId: 'old' });
    const sameId = createSealer({ keys: { new: key() }, activeKeyId: 'new' });
    expect(problemOf(() => onlyOld.open(sealed, 'a'))).toBe('unknown_key');
    expect(problemOf(() => sameId.open(sealed, 'a'))).toBe('tampered');
    for (const broken of ['', secret, 'v2.new.a.b.c', 'v1.new.a.b', 'v1.new....'])
      expect(problemOf(() => sealer.open(broken, 'a'))).toBe('malformed');
    for (const act of [
      () => sealer.open(secret, 'a'),
      () => sameId.open(sealed, 'a'),
      () => onlyOld.open(sealed, 'a'),
    ]) {
      expect(act).not.toThrow(/hunter2/);
      expect(act).toThrow(SealedValueError);
    }
  });

  it('never answers a stranger with anything but a SealedValueError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.array(text, { minLength: 5, maxLength: 5 }).map((parts) => parts.join('.')),
        ),
        (input) => expect(problemOf(() => sealer.open(input, 'a'))).not.toBe('opened'),
      ),
    );
  });
});

describe('parseSecretsKeys', () => {
  it('takes the first key as the active one', () => {
    expect(parseSecretsKeys(`b:${keys.new}, a:${keys.old}`)).toEqual({
      keys: { a: keys.old, b: keys.new },
      activeKeyId: 'b',
    });
  });

  it.each(['', 'a', 'a:', ':x', `a:${keys.old},a:${keys.new}`, 'a:b:c'])('refuses %j', (input) => {
    expect(() => parseSecretsKeys(input)).toThrow(TypeError);
  });

  it('refuses a key of another length, without showing it', () => {
    expect(() => createSealer(parseSecretsKeys('a:c2hvcnQ='))).toThrow(
      'expected 32 bytes in base64 for key a, got 5',
    );
  });
});
