/** Written by tools/sdk from the OpenAPI document, libs/events, and libs/chain-registry. Change those, not this file. */

/** Every type of event, in words. */
export const EVENT_TITLES = {
  "transaction.detected": "Transaction detected",
  "transaction.progress": "Transaction in progress",
  "transaction.confirmed": "Transaction confirmed",
  "transaction.reorged": "Transaction undone by a reorganization",
  "transaction.failed": "Transaction failed",
  "balance.changed": "Balance changed",
  "channel.failed": "Notification channel failed"
} as const;

/** When each is sent, in one sentence. */
export const EVENT_HINTS = {
  "transaction.detected": "A transaction of a monitored address is seen, in the mempool or in a block.",
  "transaction.progress": "A detected transaction gains confirmations, at most once per block.",
  "transaction.confirmed": "A transaction is final, by your confirmation policy or by the chain.",
  "transaction.reorged": "The block of a transaction left the chain: reverse what you credited.",
  "transaction.failed": "A transaction of a monitored address failed and spent only its fee.",
  "balance.changed": "The balance of a monitored address changed, with or without a transaction.",
  "channel.failed": "Another channel of the project failed and holds its events."
} as const;

/** Values of the filter `verification` of a channel. */
export const VERIFICATIONS = [
  "proved",
  "agreed",
  "attested",
  "settling",
  "trusted",
  "unproved"
] as const;

/** Values of the filter `reasons` of a channel. */
export const CHANGE_REASONS = [
  "transfer",
  "fee",
  "withdrawal",
  "reward",
  "mint",
  "atomic",
  "staking_reward",
  "stake_withdrawal",
  "adjustment"
] as const;

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

/**
 * Every kind of channel; `fields` are the members that its creation needs besides a name, `members` all that it takes,
 * `default_events` what it gets where none are named, `takes_proofs`: it has `include_proof`.
 */
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
    "members": [
      "kind",
      "auth",
      "url",
      "headers",
      "standard_webhooks",
      "throttle_per_second",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed"
    ],
    "takes_proofs": true
  },
  "discord": {
    "summary": "Create a channel that posts to Discord through a webhook",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The webhook's URL, as Discord gives it; write-only."
      }
    ],
    "members": [
      "url",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
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
    "members": [
      "recipients",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed"
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
    "members": [
      "auth",
      "url",
      "headers",
      "max_events",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "kafka": {
    "summary": "Create a channel that writes to your own Kafka topic",
    "fields": [
      {
        "name": "brokers",
        "type": "array",
        "description": "Bootstrap servers. The cluster reports the others, which pass the same check."
      },
      {
        "name": "topic",
        "type": "string",
        "description": "The topic; it is not created."
      }
    ],
    "members": [
      "auth",
      "brokers",
      "topic",
      "tls",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "nats": {
    "summary": "Create a channel that publishes to your own NATS server",
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
    "members": [
      "url",
      "auth",
      "subject",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "rabbitmq": {
    "summary": "Create a channel that publishes to your own RabbitMQ server",
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
    "members": [
      "auth",
      "url",
      "exchange",
      "routing_key",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "redis_stream": {
    "summary": "Create a channel that adds events to your own Redis stream",
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
    "members": [
      "auth",
      "url",
      "stream",
      "max_length",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "slack": {
    "summary": "Create a channel that posts to Slack through an incoming webhook",
    "fields": [
      {
        "name": "url",
        "type": "string",
        "description": "The webhook's URL, as Slack gives it; write-only."
      }
    ],
    "members": [
      "url",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": false
  },
  "sqs": {
    "summary": "Create a channel that sends to your own SQS queue",
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
    "members": [
      "auth",
      "queue_url",
      "region",
      "include_proof",
      "format",
      "fields",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": true
  },
  "telegram": {
    "summary": "Create a channel that posts to a Telegram chat through your own bot",
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
    "members": [
      "bot_token",
      "chat_id",
      "event_types",
      "filters",
      "include_historical",
      "ordering",
      "ordering_key",
      "sandbox"
    ],
    "default_events": [
      "transaction.detected",
      "transaction.confirmed",
      "balance.changed"
    ],
    "takes_proofs": false
  }
} as const;
