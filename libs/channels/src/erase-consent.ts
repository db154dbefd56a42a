// SPDX-License-Identifier: Apache-2.0
import type { AskContext, Consent } from './channel-kind.ts';

interface ConsentChannel<Config, Credentials> {
  readonly id: string;
  readonly config: Config;
  readonly credentials: Credentials;
}

/** How people agree to what a channel of a kind sends them. */
export interface ConsentDefinition<Config, Credentials, Options> {
  ask(
    channel: ConsentChannel<Config, Credentials> & { readonly before: Config | undefined },
    context: AskContext,
    options: Options,
  ): Promise<void>;
  channelOf(token: string): string | undefined;
  follow(
    token: string,
    channel: ConsentChannel<Config, Credentials>,
    now: Date,
  ): { readonly purpose: 'confirm' | 'stop'; readonly config: Partial<Config> } | undefined;
}

interface Readers<Config, Credentials, Options> {
  readonly readConfig: (config: unknown) => Config;
  readonly readCredentials: (credentials: unknown) => Credentials;
  /** The stored config with members that changed. */
  readonly merge: (config: unknown, changes: Partial<Config>) => object;
  readonly withOptions: (options: object) => Options;
}

/** The same for those who know no kinds: see defineChannelKind. */
export function eraseConsent<Config, Credentials, Options>(
  consent: ConsentDefinition<Config, Credentials, Options>,
  { readConfig, readCredentials, merge, withOptions }: Readers<Config, Credentials, Options>,
): Consent {
  const read = ({ id, config, credentials }: ConsentChannel<unknown, unknown>) => ({
    id,
    config: readConfig(config),
    credentials: readCredentials(credentials),
  });
  return {
    ask: ({ before, ...channel }, context, options) =>
      consent.ask(
        { ...read(channel), before: before === undefined ? undefined : readConfig(before) },
        context,
        withOptions(options),
      ),
    channelOf: (token) => consent.channelOf(token),
    follow(token, channel, now) {
      const followed = consent.follow(token, read(channel), now);
      return followed && { ...followed, config: merge(channel.config, followed.config) };
    },
  };
}
