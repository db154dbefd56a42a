/** The tools of `npm run demo -- …` and the flags of each, all of which have a value. */
export const DEMO_FLAGS = {
  send: ['to', 'ether', 'token', 'btc', 'sol', 'trx'],
  address: ['chain'],
  mine: ['blocks'],
  receive: ['port', 'secret'],
} as const;
