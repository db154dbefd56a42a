import { ProblemError, type Chainwatch } from '@chainwatch/sdk';
import type { Ledger } from './ledger.ts';

const NAME = 'deposit-service';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

/** The webhook channel of this service, made at its first start. Its secret is told once, so it is kept in the database. */
export async function ensureWebhook(chainwatch: Chainwatch, ledger: Ledger, url: string): Promise<Webhook> {
  const known = await ledger.readSetting<Webhook>('webhook');
  if (known !== undefined && (await exists(chainwatch, known.id))) {
    if (known.url !== url) await chainwatch.notificationChannels.updateWebhook(known.id, { url });
    return known;
  }
  // One whose secret was lost, because this process ended before it was stored.
  for await (const { id, name } of chainwatch.notificationChannels.list({ limit: 100 }))
    if (name === NAME) await chainwatch.notificationChannels.delete(id);
  const { id, webhook_secret: secret } = await chainwatch.notificationChannels.createWebhook({
    name: NAME,
    url,
    event_types: ['transaction.confirmed', 'transaction.reorged'],
  });
  const webhook = { id, url, secret };
  await ledger.writeSetting('webhook', webhook);
  return webhook;
}

async function exists(chainwatch: Chainwatch, id: string): Promise<boolean> {
  try {
    await chainwatch.notificationChannels.get(id);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return false;
    throw error;
  }
}
