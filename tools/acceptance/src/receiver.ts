// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '@chainwatch/webhook-signature';

export interface ReceivedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly transactionHash: string | undefined;
  readonly sequence: number | null;
  readonly body: Record<string, unknown>;
  readonly deliveryIds: string[];
  readonly receivedAtMs: number;
}

interface EventBody {
  event_id: string;
  project_id: string;
  type: string;
  sequence: number | null;
  data: { transaction?: { hash: string } };
}

/** A customer's webhook endpoint: verifies every signature, keeps every event with the deliveries that carried it. */
export class Receiver {
  readonly events = new Map<string, ReceivedEvent>();
  readonly faults: string[] = [];
  deliveries = 0;
  /** By project id. */
  readonly secrets = new Map<string, string>();
  url = '';
  /** What it answers; anything but 2xx means that it keeps nothing. */
  status = 204;
  #server: Server | undefined;

  /** @param port that a receiver had that comes back; default a free one */
  async start(port = 0): Promise<void> {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        if (this.status === 204) this.#receive(Buffer.concat(chunks), req.headers);
        res.writeHead(this.status).end();
      });
    });
    await new Promise<void>((resolve) => this.#server!.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #receive(body: Buffer, headers: NodeJS.Dict<string | string[]>): void {
    this.deliveries += 1;
    const event = JSON.parse(body.toString('utf8')) as Record<string, unknown> & EventBody;
    const verdict = verifySignature({
      header: String(headers['x-webhook-signature']),
      body,
      secret: this.secrets.get(event.project_id) ?? 'unknown project',
    });
    if (!verdict.ok) this.faults.push(`signature: ${JSON.stringify(verdict)}`);
    if (headers['x-webhook-event-id'] !== event.event_id)
      this.faults.push(`event id ${event.event_id}: header says ${headers['x-webhook-event-id']}`);
    if (headers['x-webhook-event'] !== event.type)
      this.faults.push(`event ${event.event_id}: header says ${headers['x-webhook-event']}`);
    const deliveryId = String(headers['x-webhook-delivery-id']);
    const known = this.events.get(event.event_id);
    if (known !== undefined) {
      if (known.deliveryIds.includes(deliveryId)) this.faults.push(`delivery id ${deliveryId} came twice`);
      if (JSON.stringify(known.body) !== JSON.stringify(event))
        this.faults.push(`event ${event.event_id} came with two bodies`);
      known.deliveryIds.push(deliveryId);
      return;
    }
    this.events.set(event.event_id, {
      eventId: event.event_id,
      type: event.type,
      transactionHash: event.data.transaction?.hash,
      sequence: event.sequence,
      body: event,
      deliveryIds: [deliveryId],
      receivedAtMs: Date.now(),
    });
  }
}
