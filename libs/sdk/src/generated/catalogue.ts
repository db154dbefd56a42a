/** Written by tools/sdk from the OpenAPI document, libs/events, and libs/chain-registry. Change those, not this file. */

/** Every type of event, in words. */
export const EVENT_TITLES = {
  "transaction.detected": "Transaction detected",
  "transaction.progress": "Transaction in progress",
  "transaction.confirmed": "Transaction confirmed",
  "transaction.reorged": "Transaction undone by a reorganisation",
  "transaction.failed": "Transaction failed",
  "balance.changed": "Balance changed",
  "channel.failed": "Notification channel failed"
} as const;

/** What a channel hears of payments where nothing is said. */
export const PAYMENT_EVENTS = [
  "transaction.detected",
  "transaction.confirmed"
] as const;

/** Every family of chains. */
export const CHAIN_FAMILIES = [
  "evm",
  "bitcoin",
  "solana",
  "tron"
] as const;

/** Every kind of channel; `fields` are the members that its creation needs besides a name, `takes_proofs`: it has `include_proof`. */
export const CHANNEL_KINDS = {
  "webhook": {
    "summary": "Create a webhook channel; the answer shows its signing secret this once",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "Where events are POSTed to; https, where configuration does not allow http."
      }
    ],
    "takes_proofs": true
  },
  "discord": {
    "summary": "Create a channel that writes to Discord through a webhook of yours",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The webhook's URL, as Discord gives it; write-only."
      }
    ],
    "takes_proofs": false
  },
  "email": {
    "summary": "Create a channel that sends mails; each recipient is asked first, and events are held until then",
    "fields": [
      {
        "name": "recipients",
        "type": "array",
        "description": "Up to 10 addresses. Each new one gets a link, and no event before it was followed. One that is named again before gets another link."
      }
    ],
    "takes_proofs": false
  },
  "http_batch": {
    "summary": "Create a channel that POSTs events as lines; the answer shows its signing secret this once",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "Where events are POSTed to; https, where configuration does not allow http."
      }
    ],
    "takes_proofs": true
  },
  "kafka": {
    "summary": "Create a channel that writes to a Kafka topic of yours",
    "fields": [
      {
        "name": "brokers",
        "type": "array",
        "description": "Servers to ask first; the cluster tells the others, which pass the same guard."
      },
      {
        "name": "topic",
        "type": "string",
        "description": "The topic; it is not created."
      }
    ],
    "takes_proofs": true
  },
  "nats": {
    "summary": "Create a channel that publishes to a NATS server of yours",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The server, with credentials before the `@` where `auth` does not give them; they are masked when read."
      },
      {
        "name": "subject",
        "type": "string",
        "description": "The subject to publish to: words with dots between, without wildcards, spaces, control characters and a leading `$`."
      }
    ],
    "takes_proofs": true
  },
  "rabbitmq": {
    "summary": "Create a channel that publishes to a RabbitMQ server of yours",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The server, AMQP 0-9-1; `amqps` speaks TLS. A path is the virtual host; without one it is `/`."
      },
      {
        "name": "routing_key",
        "type": "string",
        "description": "The routing key of every message."
      }
    ],
    "takes_proofs": true
  },
  "redis_stream": {
    "summary": "Create a channel that adds events to a Redis stream of yours",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The server; `rediss` speaks TLS. A path is the number of a database."
      },
      {
        "name": "stream",
        "type": "string",
        "description": "Key of the stream; Redis makes it with the first event."
      }
    ],
    "takes_proofs": true
  },
  "slack": {
    "summary": "Create a channel that writes to Slack through an incoming webhook of yours",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The webhook's URL, as Slack gives it; write-only."
      }
    ],
    "takes_proofs": false
  },
  "sqs": {
    "summary": "Create a channel that sends to an SQS queue of yours",
    "fields": [
      {
        "name": "auth",
        "type": "object",
        "description": "An access key that may `sqs:SendMessage`. The secret is write-only."
      },
      {
        "name": "queue_url",
        "type": "string",
        "description": "The queue, as SQS names it. One that ends with `.fifo` keeps the order of each address."
      }
    ],
    "takes_proofs": true
  },
  "telegram": {
    "summary": "Create a channel that writes to a Telegram chat through a bot of yours",
    "fields": [
      {
        "name": "bot_token",
        "type": "string",
        "description": "The token of your bot, as BotFather gives it; write-only."
      },
      {
        "name": "chat_id",
        "type": "integer",
        "description": "The chat: positive for a person, negative for a group, beginning with -100 for a channel."
      }
    ],
    "takes_proofs": false
  }
} as const;
