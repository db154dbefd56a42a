import { scanMembers } from '../json/scan-members.ts';

const NUMBER = /^"0x[0-9a-f]{1,13}"$/i;

/** The number of the block that an Ethereum notification is about: a header's, or a log's. */
export function readNotifiedHead(bytes: Buffer, resultStart: number): number | undefined {
  const members = scanMembers(bytes, resultStart);
  const span = members?.get('number') ?? members?.get('blockNumber');
  if (span === undefined) return undefined;
  const text = bytes.toString('latin1', span.start, span.end);
  return NUMBER.test(text) ? Number(text.slice(1, -1)) : undefined;
}
