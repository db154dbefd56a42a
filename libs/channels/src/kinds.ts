// SPDX-License-Identifier: Apache-2.0
// One line for each kind of channel. The only place that lists them.
export { discord } from './discord/discord.ts';
export { email } from './email/email.ts';
export { httpBatch } from './http-batch/http-batch.ts';
export { kafka } from './kafka/kafka.ts';
export { nats } from './nats/nats.ts';
export { rabbitmq } from './rabbitmq/rabbitmq.ts';
export { redisStream } from './redis-stream/redis-stream.ts';
export { slack } from './slack/slack.ts';
export { sqs } from './sqs/sqs.ts';
export { telegram } from './telegram/telegram.ts';
export { webhook } from './webhook/webhook.ts';
