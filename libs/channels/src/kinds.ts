// One line for each kind of channel. The only place that lists them.
export { discord } from './discord/discord.ts';
export { email } from './email/email.ts';
export { nats } from './nats/nats.ts';
export { slack } from './slack/slack.ts';
export { telegram } from './telegram/telegram.ts';
export { webhook } from './webhook/webhook.ts';
