// SPDX-License-Identifier: Apache-2.0
/** A block of a stream. One without `data` only moves the position (`id`), or says when to come again (`retryMs`). */
export interface StreamBlock {
  readonly id?: string;
  readonly type: string;
  readonly data?: string;
  readonly retryMs?: number;
}

/** What a line begins with, and the rest of it; a line end may be cut in two. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). What
 * no blank line has ended was not received. Libraries for it tell of blocks with data alone; here the position counts too.
 *
 * @param onBytes called for everything that arrives, comments included: the stream lives
 */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamBlock, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const parts = (rest + decoder.decode(value, { stream: true })).split(LINE_END);
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (line !== '') lines.push(line);
        else {
          if (lines.length > 0) yield readBlock(lines);
          lines = [];
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readBlock(lines: readonly string[]): StreamBlock {
  const block: { id?: string; type: string; data?: string; retryMs?: number } = { type: 'message' };
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'event') block.type = value;
    else if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === 'retry' && /^\d{1,7}$/.test(value)) block.retryMs = Number(value);
  }
  return block;
}
