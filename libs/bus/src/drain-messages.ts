import type { ConsumerMessages } from '@nats-io/jetstream';
import type { Subscription } from '@nats-io/transport-node';

const DRAIN_MS = 1_000;

/**
 * Ends a pull, but still hands over what the server sent before it knew: closing at once would drop those messages, and
 * nobody else got them before their ack wait is over. The subscription is no part of the client's public type.
 * (Server 2.9 gives a refused message to the next replica at once only when that one is pulling already; with none, it
 * comes when the ack wait is over.)
 */
export async function drainMessages(messages: ConsumerMessages): Promise<void> {
  const { sub } = messages as ConsumerMessages & { readonly sub?: Subscription };
  const timer = setTimeout(() => void messages.close(), DRAIN_MS);
  try {
    await sub?.drain();
  } catch {
    // Closed meanwhile.
  } finally {
    clearTimeout(timer);
    void messages.close();
  }
}
