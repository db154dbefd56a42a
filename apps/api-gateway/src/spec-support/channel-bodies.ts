// SPDX-License-Identifier: Apache-2.0
/** Bodies that create channels whose receivers are programs, by kind. */
export const KINDS = {
  webhook: { name: 'w', url: 'https://1.1.1.1/hook' },
  nats: { name: 'n', url: 'nats://1.1.1.1:4222', subject: 'payments' },
  http_batch: { name: 'h', url: 'https://1.1.1.1/events' },
  kafka: { name: 'k', brokers: ['1.1.1.1:9093'], topic: 'payments' },
  rabbitmq: { name: 'r', url: 'amqp://1.1.1.1', routing_key: 'payments' },
  redis_stream: { name: 's', url: 'redis://1.1.1.1', stream: 'payments' },
  sqs: {
    name: 'q',
    queue_url: 'https://1.1.1.1/1/payments',
    region: 'eu-central-1',
    auth: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'hunter2hunter2hunter2' },
  },
};

/** And people. */
export const CHATS = {
  telegram: { name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 42 },
  slack: { name: 's', url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
};
