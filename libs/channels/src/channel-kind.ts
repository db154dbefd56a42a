// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { EventType } from '@chainwatch/events';
import type { NameBook } from './messages/name-book.ts';
import type { ChannelLimits, ChannelTarget, Sender, SenderContext, SigningSecret } from './sender.ts';

/** Texts about a kind in the API's documentation. */
export interface ChannelKindDocs {
  /** In names of records and operations: `NatsChannel`, `createNatsChannel`. */
  readonly title: string;
  readonly description: string;
  /** One line of each route. */
  readonly create: string;
  readonly update: string;
  readonly createExample: { readonly name: string; readonly [member: string]: unknown };
  readonly updateExample: object;
}

/** What the API needs to check a request beyond its form. */
export interface CheckContext {
  /** @throws ProblemError 422 for a URL that leads into a blocked range */
  checkUrl(url: string, protocols: readonly string[]): Promise<void>;
  /** Whether http is accepted where https is required. */
  readonly allowsHttp: boolean;
}

/** What asking people needs of the API. */
export interface AskContext {
  /** Takes one question from what an address may be asked. False: it was asked too often. @throws ProblemError 429 */
  mayAsk(address: string): Promise<boolean>;
}

/** A channel whose people are asked, or answer. */
interface ConsentChannel {
  readonly id: string;
  readonly config: unknown;
  readonly credentials: unknown;
}

/** How people agree to what a channel sends them and stop it, by links that need no key. */
export interface Consent {
  /** Asks those whom a create or an update brought. @throws ProblemError */
  ask(
    channel: ConsentChannel & { readonly before: unknown },
    context: AskContext,
    options: object,
  ): Promise<void>;
  /** The channel that a link's token is about, if it is one. */
  channelOf(token: string): string | undefined;
  /** What following a link does to the config. Undefined: the link is not of this channel, used up, or too old. */
  follow(
    token: string,
    channel: ConsentChannel,
    now: Date,
  ): { readonly purpose: 'confirm' | 'stop'; readonly config: object } | undefined;
}

/** The change to a channel that a request asks for. */
export interface ChannelChange {
  /** Stored and shown as it is: nothing in it is secret. */
  readonly config: object;
  /** To be sealed; null: there is nothing to seal; undefined: the sealed ones stay. */
  readonly credentials: object | null | undefined;
  /** True when the channel leads to another receiver now: a failed one gets another chance. */
  readonly isNewTarget: boolean;
}

/** A kind of channel with its types erased, as it stands in the registry: see defineChannelKind. */
export interface ChannelKind {
  /** Also the word in paths. */
  readonly kind: string;
  readonly docs: ChannelKindDocs;
  /** Its deliveries are signed with secrets that the API shows once and rotates. */
  readonly isSigned: boolean;
  /** The kind that `POST /channels` creates. */
  readonly isDefault: boolean;
  /** Members of a create body beside `name`; all of them are optional in an update. */
  readonly input: z.ZodRawShape;
  /** `notification_channels.config`, as it is stored and shown. */
  readonly stored: z.ZodObject;
  readonly defaultEventTypes: readonly EventType[];
  /** Errors after which no attempt can succeed until somebody changes something: the channel fails at once. */
  readonly fatal: Readonly<Record<string, string>>;
  /** Secrets in URLs and texts, which logs must not show. */
  readonly hides: readonly RegExp[];
  /** Environment variables of the gateway and of the notifier. */
  readonly environment: z.ZodRawShape;
  optionsOf(environment: Readonly<Record<string, unknown>>): object;
  /** Undefined: checking the form is enough. @throws ProblemError */
  readonly check: ((given: object, context: CheckContext, options: object) => Promise<void>) | undefined;
  /** Why nothing can be sent as long as the config is this: the channel is failed for that reason, and holds its events. */
  obstacleOf(config: unknown): string | undefined;
  /** Undefined: nobody has to agree. */
  readonly consent: Consent | undefined;
  /** `notification_channels.config` as the API shows it, with defaults for members that an older release left out. */
  show(config: unknown): object;
  /** The stored config after a create (without `before`) or an update. */
  change(given: object, before?: unknown): ChannelChange;
  /** What the notifier needs of a row. @throws when a member is missing or the credentials are not what the kind knows */
  open(config: unknown, credentials: unknown, secrets: readonly SigningSecret[]): ChannelTarget;
  limitsOf(target: ChannelTarget, options: object): ChannelLimits;
  /** Channels of one group have one receiver: they are paced together, and paused together when it says that requests come too fast. */
  pauseGroupOf(target: ChannelTarget): string | undefined;
  /** Its receivers get events as they are, not a text made of them. */
  readonly isVerbatim: boolean;
  /**
   * The body of a message. It gets several payloads only where the limits allow a digest.
   *
   * @param names for messages to people; without them a message shows ids
   */
  render(payloads: readonly string[], names?: NameBook): string;
  createSender(context: SenderContext, options: object): Sender;
}
