// SPDX-License-Identifier: Apache-2.0
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EmailConfig, EmailTarget, Recipient } from './email-config.ts';

// A link's token: 16 bytes id of the channel, 1 byte purpose, 4 bytes expiry in Unix seconds (0: none), 32 bytes of
// HMAC-SHA-256. Only the HMAC says which recipient it is for. It is valid for one `requested_at` in one state, so it works once.

const PURPOSES = { confirm: 1, stop: 2 } as const;
type Purpose = keyof typeof PURPOSES;
const LENGTH = 53;
const CONFIRM_SECONDS = 3 * 86_400;

export interface LinkedChannel extends Pick<EmailTarget, 'config' | 'credentials'> {
  readonly id: string;
}

export function makeLink(
  publicUrl: string,
  channel: LinkedChannel,
  {
    recipient,
    purpose,
    nowMs,
  }: { readonly recipient: Recipient; readonly purpose: Purpose; readonly nowMs: number },
): string {
  const head = Buffer.alloc(21);
  Buffer.from(channel.id.replaceAll('-', ''), 'hex').copy(head);
  head.writeUInt8(PURPOSES[purpose], 16);
  head.writeUInt32BE(purpose === 'confirm' ? Math.floor(nowMs / 1_000) + CONFIRM_SECONDS : 0, 17);
  const token = Buffer.concat([head, sign(channel, head, recipient)]).toString('base64url');
  return `${publicUrl}/mail/${token}`;
}

/** The channel that a token is about, if it is one. */
export function channelOfToken(token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export interface FollowedLink {
  readonly purpose: Purpose;
  readonly config: EmailConfig;
}

/** What following a link makes of the channel's config. Undefined: it is not of this channel, used up, or too old. */
export function followLink(token: string, channel: LinkedChannel, now: Date): FollowedLink | undefined {
  if (channelOfToken(token) !== channel.id) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const [head, mac] = [bytes.subarray(0, 21), bytes.subarray(21)];
  const purpose = head.readUInt8(16) === PURPOSES.confirm ? 'confirm' : 'stop';
  const expiresAt = head.readUInt32BE(17);
  if (expiresAt !== 0 && expiresAt * 1_000 < now.getTime()) return undefined;
  const wanted = purpose === 'confirm' ? 'pending' : 'confirmed';
  const { recipients } = channel.config;
  const found = recipients.find(
    (one) => one.status === wanted && timingSafeEqual(mac, sign(channel, head, one)),
  );
  if (found === undefined) return undefined;
  const status = purpose === 'confirm' ? 'confirmed' : 'stopped';
  const answered: Recipient = { ...found, status, answered_at: now.toISOString() };
  return { purpose, config: { recipients: recipients.map((one) => (one === found ? answered : one)) } };
}

function sign({ credentials }: LinkedChannel, head: Buffer, recipient: Recipient): Buffer {
  return createHmac('sha256', Buffer.from(credentials.link_key, 'base64'))
    .update(head)
    .update(`${recipient.requested_at} ${recipient.address}`)
    .digest();
}
