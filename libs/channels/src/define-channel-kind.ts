// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defaultEventTypes, type DefaultSelection } from '@chainwatch/events';
import type { ChannelKind, ChannelKindDocs, CheckContext, AskContext, Consent } from './channel-kind.ts';
import { selectionInput, selectionSchema } from './event-selection.ts';
import { NO_NAMES, type NameBook } from './messages/name-book.ts';
import { shapeInput, shapeStored } from './shape/shape-members.ts';
import type { ChannelLimits, ChannelTarget, Sender, SenderContext } from './sender.ts';

/** In which order a channel of any kind gets its events: members of its create and update bodies, and of what is stored. */
const ordering = {
  ordering: z
    .enum(['best_effort', 'strict'])
    .optional()
    .meta({
      description:
        'Order of events. `best_effort`: first attempts start in order, and a retry delays nothing. `strict`: an event is sent once every earlier one has been acknowledged, so that a retry holds up what is behind it. Absent: `best_effort`. A change applies to events that come after it.',
      examples: ['strict'],
    }),
  ordering_key: z
    .enum(['channel', 'address'])
    .optional()
    .meta({
      description:
        'With `ordering: strict`, what has an order of its own. `channel`: all events of the channel. `address`: the events of each address; an event of several addresses counts for the first one, an event of none for its chain. Absent: `channel`.',
      examples: ['address'],
    }),
};

/** Whether a channel of any kind is there to be tried: a member of its create and update bodies, and of what is stored. */
const sandbox = {
  sandbox: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the receiver is only tried. `actions/rehearse` needs `true`. What such a receiver answers never changes the status of the channel. Absent: false.',
      examples: [true],
    }),
};

type Shape = z.ZodRawShape;
type Values<S extends Shape> = z.output<z.ZodObject<S>>;
/** A create gives all required members, an update at least one. */
type SomeOf<T> = { [K in keyof T]-?: Required<Pick<T, K>> & Partial<Omit<T, K>> }[keyof T];

interface Definition<
  Input extends Shape,
  Secrets extends Shape,
  Stored extends Shape,
  Credentials extends object,
  Options extends object,
> {
  readonly kind: string;
  readonly docs: ChannelKindDocs;
  readonly isSigned?: boolean;
  readonly isDefault?: boolean;
  /** Members of a request that are stored and shown as they are. */
  readonly input: Input;
  /** Members that hold a secret or may hold one: they reach what is stored and shown through `mask` alone. */
  readonly secrets: Secrets;
  /**
   * `notification_channels.config` without the selection of events. May only be widened, because it reads the
   * rows of every release.
   */
  readonly stored: Stored;
  readonly defaults: {
    /** Event types of a channel that names none. */
    readonly events: DefaultSelection;
    /** Members of the config that a create may leave out. */
    readonly config: Partial<Values<Stored>>;
  };
  /** What is sealed, as JSON. May only be widened. Parses `{}` where nothing is sealed. */
  readonly credentials: z.ZodType<Credentials>;
  check?(
    given: Partial<Values<Input> & Values<Secrets>>,
    context: CheckContext,
    options: Options,
  ): Promise<void>;
  /** What to seal; null: there is nothing to seal; undefined: the sealed value stays. */
  seal(given: SomeOf<Values<Secrets>>, before?: Values<Stored>): Credentials | null | undefined;
  /** The part of the secret members that may be shown. */
  mask(
    given: SomeOf<Values<Secrets>>,
    before?: Values<Stored>,
  ): Pick<Values<Stored>, keyof Values<Stored> & keyof Values<Secrets>>;
  /** Whether an update leads to another receiver. */
  isNewTarget(given: Partial<Values<Input> & Values<Secrets>>, before: Values<Stored>): boolean;
  /** Why nothing can be sent as long as the config is this. */
  obstacle?(config: Values<Stored>): string | undefined;
  readonly consent?: ConsentDefinition<Values<Stored>, Credentials, Options>;
  readonly fatal?: Readonly<Record<string, string>>;
  readonly hides?: readonly RegExp[];
  readonly environment?: {
    readonly variables: Shape;
    read(values: Readonly<Record<string, unknown>>): Partial<Options>;
  };
  readonly options: Options;
  limits?(target: ChannelTarget<Values<Stored>, Credentials>, options: Options): ChannelLimits;
  pauseGroup?(target: ChannelTarget<Values<Stored>, Credentials>): string;
  /** Its receivers get events as they are. Default: where there is no `render`. */
  readonly isVerbatim?: boolean;
  /** Absent: the bytes of the event. */
  render?(payloads: readonly string[], names: NameBook): string;
  createSender(context: SenderContext, options: Options): Sender<ChannelTarget<Values<Stored>, Credentials>>;
}

const ofDeliveries = { ...ordering, ...sandbox };
const ofAll = { ...selectionInput, ...ofDeliveries };

/**
 * A kind of channel from its parts. Types are erased here and nowhere else. That is safe: a kind's functions
 * get only what its own schemas have parsed.
 */
export function defineChannelKind<
  Input extends Shape,
  Secrets extends Shape,
  Stored extends Shape,
  Credentials extends object,
  Options extends object,
>(definition: Definition<Input, Secrets, Stored, Credentials, Options>): ChannelKind {
  type Target = ChannelTarget<Values<Stored>, Credentials>;
  type Given = Partial<Values<Input> & Values<Secrets>>;
  const { defaults, secrets, environment, limits, check, consent, render } = definition;
  const isVerbatim = definition.isVerbatim ?? render === undefined;
  const own = z.object(definition.stored);
  const stored = own.extend({ ...(isVerbatim && shapeStored), ...selectionSchema, ...ofDeliveries });
  const types = defaultEventTypes(defaults.events);
  const withOptions = (given: object): Options => ({ ...definition.options, ...given });
  const withDefaults = (config: unknown): object => ({
    event_types: types,
    filters: {},
    ...defaults.config,
    ...withoutNothing(config),
  });
  const readOwn = (config: unknown): Values<Stored> => own.parse(withDefaults(config));
  const readCredentials = (credentials: unknown): Credentials => definition.credentials.parse(credentials);
  const merge = (config: unknown, changes: object): object =>
    stored.parse({ ...withDefaults(config), ...changes });
  return {
    ...describeKind(definition),
    input: { ...secrets, ...definition.input, ...(isVerbatim && shapeInput), ...ofAll },
    stored,
    defaultEventTypes: types,
    environment: environment?.variables ?? {},
    optionsOf: (values) => environment?.read(values) ?? {},
    check: check && ((given, context, options) => check(given as Given, context, withOptions(options))),
    obstacleOf: (config) => definition.obstacle?.(readOwn(config)),
    consent: consent && eraseConsent(consent, { readConfig: readOwn, readCredentials, merge, withOptions }),
    show: (config) => stored.parse(withDefaults(config)),
    change(given, before) {
      const known = before === undefined ? undefined : readOwn(before);
      const [secret, plain] = split(given, secrets);
      const some = Object.keys(secret).length === 0 ? undefined : (secret as SomeOf<Values<Secrets>>);
      const masked = some && definition.mask(some, known);
      return {
        config: merge(before, { ...plain, ...masked }),
        credentials: some ? definition.seal(some, known) : before === undefined ? null : undefined,
        isNewTarget: known !== undefined && definition.isNewTarget(given as Given, known),
      };
    },
    open: (config, credentials, signing) => ({
      config: readOwn(config),
      credentials: readCredentials(credentials),
      secrets: signing,
    }),
    limitsOf: (target, options) => limits?.(target as Target, withOptions(options)) ?? {},
    pauseGroupOf: (target) => definition.pauseGroup?.(target as Target),
    isVerbatim,
    render: (payloads, names = NO_NAMES) => render?.(payloads, names) ?? payloads[0]!,
    createSender: (context, options) => definition.createSender(context, withOptions(options)) as Sender,
  };
}

type Described = 'kind' | 'docs' | 'isSigned' | 'isDefault' | 'fatal' | 'hides';

/** What is said of a kind, with defaults. */
function describeKind({
  kind,
  docs,
  isSigned = false,
  isDefault = false,
  fatal = {},
  hides = [],
}: Pick<ChannelKind, 'kind' | 'docs'> & Partial<Pick<ChannelKind, Described>>): Pick<ChannelKind, Described> {
  return { kind, docs, isSigned, isDefault, fatal, hides };
}

/**
 * Splits the members of a request into those that may hold secrets and the others, without those that an
 * update leaves out.
 */
function split(given: object, secrets: Shape): [secret: object, plain: object] {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return [
    Object.fromEntries(entries.filter(([name]) => Object.hasOwn(secrets, name))),
    Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(secrets, name))),
  ];
}

/** The members of a stored object that have a value. */
function withoutNothing(config: unknown): object {
  if (typeof config !== 'object' || config === null) return {};
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined && value !== null),
  );
}

interface ConsentChannel<Config, Credentials> {
  readonly id: string;
  readonly config: Config;
  readonly credentials: Credentials;
}

/** How people agree to what a channel of a kind sends them. */
interface ConsentDefinition<Config, Credentials, Options> {
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
function eraseConsent<Config, Credentials, Options>(
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
