import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { bitcoinTxid } from './bitcoin-txid.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((each) => Buffer.from(each));
const input = fc.record({
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  index: fc.nat(),
  script: bytes(300),
  witness: fc.array(bytes(80), { maxLength: 3 }),
});
const output = fc.record({ script: bytes(70_000), value: fc.bigInt(0n, 2_100_000_000_000_000n) });
const transaction = fc
  .record({
    version: fc.nat(),
    locktime: fc.nat(),
    inputs: fc.array(input, { minLength: 1, maxLength: 300, size: 'medium' }),
    outputs: fc.array(output, { minLength: 1, maxLength: 5 }),
  })
  .map(({ version, locktime, inputs, outputs }) => {
    const made = new Transaction();
    made.version = version;
    made.locktime = locktime;
    for (const { hash, index, script, witness } of inputs)
      made.setWitness(made.addInput(hash, index, undefined, script), witness);
    for (const { script, value } of outputs) made.addOutput(script, value);
    return made;
  });

it('is the one of bitcoinjs-lib, with witnesses and without', () => {
  fc.assert(
    fc.property(transaction, (made) => {
      expect(bitcoinTxid(Buffer.from(made.toBuffer()))).toBe(made.getId());
    }),
    { numRuns: 200 },
  );
});

it('throws for nothing that ends early', () => {
  fc.assert(
    fc.property(transaction, fc.double({ min: 0, max: 1, noNaN: true }), (made, part) => {
      const whole = Buffer.from(made.toBuffer());
      const cut = whole.subarray(0, Math.floor((made.toBuffer().length - 9) * part));
      expect(() => bitcoinTxid(cut)).not.toThrow();
    }),
    { numRuns: 200 },
  );
});
