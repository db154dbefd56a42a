import { receiveReply, type ReplyHandler } from './receive-reply.ts';

/** A request that the test answers, and how it was ended. */
class Exchange {
  handler: ReplyHandler | undefined;
  aborted: Error[] = [];
  readonly controller = {
    abort: (reason: Error): void => {
      this.aborted.push(reason);
      // As undici does.
      this.handler?.onResponseError(this.controller, reason);
    },
  };
  readonly dispatch = (handler: ReplyHandler): void => void (this.handler = handler);
}

const reason = new Error('no longer needed');

describe('receiveReply', () => {
  it('gathers the pieces, and forgets the signal', async () => {
    const exchange = new Exchange();
    const abort = new AbortController();
    const reading = receiveReply('call', abort.signal, exchange.dispatch);
    exchange.handler!.onRequestStart(exchange.controller);
    exchange.handler!.onResponseStart(exchange.controller, 103);
    exchange.handler!.onResponseStart(exchange.controller, 200);
    for (const piece of ['{"a', '":', '"ü"}'])
      exchange.handler!.onResponseData(exchange.controller, Buffer.from(piece));
    exchange.handler!.onResponseEnd();
    expect(await reading).toEqual({ status: 200, text: '{"a":"ü"}' });
    abort.abort(reason);
    expect(exchange.aborted).toEqual([]);
  });

  it('is not sent at all when it was called off before', async () => {
    const exchange = new Exchange();
    await expect(receiveReply('call', AbortSignal.abort(reason), exchange.dispatch)).rejects.toBe(reason);
    expect(exchange.handler).toBeUndefined();
  });

  it('ends at once when it is called off while it waits for a connection, and is not sent then', async () => {
    const exchange = new Exchange();
    const abort = new AbortController();
    const reading = receiveReply('call', abort.signal, exchange.dispatch);
    abort.abort(reason);
    await expect(reading).rejects.toBe(reason);
    exchange.handler!.onRequestStart(exchange.controller);
    expect(exchange.aborted).toEqual([reason]);
  });

  it('ends the exchange when it is called off half-way', async () => {
    const exchange = new Exchange();
    const abort = new AbortController();
    const reading = receiveReply('call', abort.signal, exchange.dispatch);
    exchange.handler!.onRequestStart(exchange.controller);
    exchange.handler!.onResponseData(exchange.controller, Buffer.from('{'));
    abort.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(exchange.aborted).toEqual([reason]);
  });

  it('fails with the connection, or when it cannot be sent', async () => {
    const exchange = new Exchange();
    const reading = receiveReply('call', new AbortController().signal, exchange.dispatch);
    exchange.handler!.onResponseError(exchange.controller, new Error('other side closed'));
    await expect(reading).rejects.toThrow('other side closed');
    await expect(
      receiveReply('call', new AbortController().signal, () => {
        throw new Error('invalid path');
      }),
    ).rejects.toThrow('invalid path');
  });

  it('refuses what is larger than any block', async () => {
    const exchange = new Exchange();
    const reading = receiveReply('eth_getBlockReceipts', new AbortController().signal, exchange.dispatch);
    const piece = Buffer.alloc(64 * 1024 * 1024);
    for (let count = 0; count < 5; count += 1) exchange.handler!.onResponseData(exchange.controller, piece);
    await expect(reading).rejects.toMatchObject({
      code: 'node_error',
      message: 'eth_getBlockReceipts: expected at most 268435456 bytes, got more',
    });
    expect(exchange.aborted).toHaveLength(1);
  });
});
