// One line for each kind of channel. The only place that lists them.
export { nats } from './nats/nats.ts';
export { telegram } from './telegram/telegram.ts';
export { webhook } from './webhook/webhook.ts';
