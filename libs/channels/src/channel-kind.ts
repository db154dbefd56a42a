import type { z } from 'zod';
import type { EventType } from '@chainwatch/events';
import type { ChannelLimits, ChannelTarget, Sender, SenderContext, SigningSecret } from './sender.ts';

/** How the API's documents speak of a kind. */
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

/** What an API can check of a request beyond its form. */
export interface CheckContext {
  /** @throws ProblemError 422 for a URL that leads into a blocked range */
  checkUrl(url: string, protocols: readonly string[]): Promise<void>;
  /** Whether http will do where https is asked for. */
  readonly allowsHttp: boolean;
}

/** What a request makes of a channel. */
export interface ChannelChange {
  /** Stored and shown as it is: nothing in it is secret. */
  readonly config: object;
  /** To be sealed; null: there is nothing to hide; undefined: what is sealed stays. */
  readonly credentials: object | null | undefined;
  /** It leads to another receiver now: a failed channel gets another chance. */
  readonly isNewTarget: boolean;
}

/** A kind of channel with its types erased, as it stands in the registry: see defineChannelKind. */
export interface ChannelKind {
  /** Also the word in paths. */
  readonly kind: string;
  readonly docs: ChannelKindDocs;
  /** Its deliveries are signed with secrets that the API shows once and rotates. */
  readonly isSigned: boolean;
  /** What `POST /channels` makes. */
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
  /** Environment variables of the notifier. */
  readonly environment: z.ZodRawShape;
  optionsOf(environment: Readonly<Record<string, unknown>>): object;
  /** Undefined: the form says all. @throws ProblemError */
  readonly check: ((given: object, context: CheckContext) => Promise<void>) | undefined;
  /** `notification_channels.config` as the API shows it: what an older release left out is there. */
  show(config: unknown): object;
  /** What a create (without `before`) or an update makes of the stored config. */
  change(given: object, before?: unknown): ChannelChange;
  /** As the notifier reads a row. @throws when a member is missing or the credentials are not what the kind knows */
  open(config: unknown, credentials: unknown, secrets: readonly SigningSecret[]): ChannelTarget;
  limitsOf(target: ChannelTarget, options: object): ChannelLimits;
  /** Channels with the same one are paused together when a receiver says that it is asked too fast. */
  pauseGroupOf(target: ChannelTarget): string | undefined;
  /** The body of a message; several payloads where the limits allow a digest. */
  render(payloads: readonly string[]): string;
  createSender(context: SenderContext, options: object): Sender;
}
