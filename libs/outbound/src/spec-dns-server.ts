// SPDX-License-Identifier: Apache-2.0
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface DnsServer {
  readonly port: number;
  /**
   * The addresses of a name, look-up by look-up; the last answer repeats. A look-up is one question for A and
   * one for AAAA.
   */
  answer(name: string, answers: readonly (readonly string[])[]): void;
  stop(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** A name server (RFC 1035) with answers of time-to-live 0, as rebinding needs them. */
export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<
    string,
    { readonly answers: readonly (readonly string[])[]; readonly asked: Map<number, number> }
  >();
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const known = names.get(name);
    const count = known?.asked.get(type) ?? 0;
    known?.asked.set(type, count + 1);
    const addresses = known?.answers[Math.min(count, known.answers.length - 1)] ?? [];
    const fitting = addresses.filter(
      (address) => isIP(address) === (type === TYPE_AAAA ? 6 : 4) && [TYPE_A, TYPE_AAAA].includes(type),
    );
    socket.send(
      buildAnswer(query.subarray(0, end), { isUnknown: known === undefined, type, addresses: fitting }),
      peer.port,
      peer.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    answer: (name, answers) => void names.set(name, { answers, asked: new Map() }),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function buildAnswer(
  question: Buffer,
  {
    isUnknown,
    type,
    addresses,
  }: { readonly isUnknown: boolean; readonly type: number; readonly addresses: readonly string[] },
): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
    const record = Buffer.alloc(12);
    // A pointer to the name in the question; class IN; time-to-live 0.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, ...records]);
}
