// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { receiveReply } from './receive-reply.ts';

describe('receiveReply', () => {
  it('gathers the pieces', async () => {
    const body = Readable.from(['{"a', '":', '"ü"}'].map((piece) => Buffer.from(piece)));
    expect(await receiveReply('call', { status: 203, body })).toEqual({ status: 203, text: '{"a":"ü"}' });
    const nothing = Readable.from([]);
    expect(await receiveReply('call', { status: 200, body: nothing })).toEqual({ status: 200, text: '' });
  });

  it('puts characters together that were cut', async () => {
    const body = Readable.from([Buffer.from([0xc3]), Buffer.from([0xbc])]);
    expect(await receiveReply('call', { status: 200, body })).toMatchObject({ text: 'ü' });
  });

  it('fails with the connection, and with the reason of its end', async () => {
    const reason = new Error('no longer needed');
    const body = new Readable({ read: () => undefined });
    const reading = receiveReply('call', { status: 200, body });
    body.push('{');
    body.destroy(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it('refuses what is larger than any block, and reads no more of it', async () => {
    const piece = Buffer.alloc(64 * 1024 * 1024);
    let read = 0;
    const body = new Readable({
      highWaterMark: 1,
      read() {
        read += 1;
        this.push(piece);
      },
    });
    await expect(receiveReply('eth_getBlockReceipts', { status: 200, body })).rejects.toMatchObject({
      code: 'node_error',
      message: 'eth_getBlockReceipts: expected at most 268435456 bytes, got more',
    });
    expect(body.destroyed).toBe(true);
    expect(read).toBeLessThan(8);
  });
});
