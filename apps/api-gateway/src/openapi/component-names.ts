import type { z } from 'zod';
import { EVENT_SCHEMAS, balanceChangeRecord, transactionRecord, transferRecord } from '@chainwatch/events';
import { problemDocumentSchema } from '@chainwatch/problem';
import { addressSchema, externalAddressSchema, hdAddressSchema } from '../records/address.ts';
import { assetSchema } from '../records/asset.ts';
import { auditLogSchema } from '../records/audit-log.ts';
import { blockSchema } from '../records/block.ts';
import { blockchainSchema } from '../records/blockchain.ts';
import {
  channelSchema,
  createdChannelSchema,
  natsChannelSchema,
  telegramChannelSchema,
  webhookChannelSchema,
} from '../records/channel.ts';
import { deliveryDetailSchema, deliverySchema } from '../records/delivery.ts';
import { createdKeySchema, keySchema } from '../records/key.ts';
import { memberSchema } from '../records/member.ts';
import { projectSchema } from '../records/project.ts';
import { incidentSchema } from '../records/incident.ts';
import { publicKeySchema } from '../records/public-key.ts';
import { reprocessSchema } from '../records/reprocess.ts';
import { resetSchema } from '../records/reset.ts';
import { tokenSchema } from '../records/token.ts';
import { rotatedSecretSchema, webhookSecretsSchema } from '../records/webhook-secrets.ts';
import { workspaceSchema } from '../records/workspace.ts';

/** Records that clients get, by the names that generated clients give them. */
export const componentNames: Readonly<Record<string, z.ZodType>> = {
  Address: addressSchema,
  Asset: assetSchema,
  AuditLog: auditLogSchema,
  BalanceChange: balanceChangeRecord,
  BalanceChangedEvent: EVENT_SCHEMAS['balance.changed'],
  Block: blockSchema,
  Blockchain: blockchainSchema,
  ChannelFailedEvent: EVENT_SCHEMAS['channel.failed'],
  CreatedKey: createdKeySchema,
  CreatedNotificationChannel: createdChannelSchema,
  Delivery: deliverySchema,
  DeliveryWithAttempts: deliveryDetailSchema,
  ExternalAddress: externalAddressSchema,
  HdAddress: hdAddressSchema,
  Key: keySchema,
  Member: memberSchema,
  Incident: incidentSchema,
  NatsChannel: natsChannelSchema,
  NotificationChannel: channelSchema,
  Problem: problemDocumentSchema,
  Project: projectSchema,
  PublicKey: publicKeySchema,
  Reprocess: reprocessSchema,
  Reset: resetSchema,
  RotatedWebhookSecret: rotatedSecretSchema,
  TelegramChannel: telegramChannelSchema,
  Token: tokenSchema,
  Transaction: transactionRecord,
  TransactionConfirmedEvent: EVENT_SCHEMAS['transaction.confirmed'],
  TransactionDetectedEvent: EVENT_SCHEMAS['transaction.detected'],
  TransactionFailedEvent: EVENT_SCHEMAS['transaction.failed'],
  TransactionReorgedEvent: EVENT_SCHEMAS['transaction.reorged'],
  Transfer: transferRecord,
  WebhookChannel: webhookChannelSchema,
  WebhookSecrets: webhookSecretsSchema,
  Workspace: workspaceSchema,
};
