// identity.v1: service definitions with their types, and the message types that services use.
import type { ProtoGrpcType as AuthorizationProto } from '../generated/authorization.ts';
import type { ProtoGrpcType as CanaryProto } from '../generated/canary.ts';
import type { ProtoGrpcType as OriginProto } from '../generated/origin.ts';
import type { ProtoGrpcType as UsageProto } from '../generated/usage.ts';
import type { ProtoGrpcType as WebhookProto } from '../generated/webhook.ts';
import { loadProtos } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const { v1 } = (
  loadProtos(
    'identity/v1/authorization.proto',
    'identity/v1/canary.proto',
    'identity/v1/usage.proto',
    'identity/v1/origin.proto',
    'identity/v1/webhook.proto',
  ) as unknown as AuthorizationProto & CanaryProto & UsageProto & OriginProto & WebhookProto
).identity;

export const authorizationService = v1.AuthorizationService.service;
export const canaryKeyService = v1.CanaryKeyService.service;
export const canaryReportService = v1.CanaryReportService.service;
export const usageService = v1.UsageService.service;
export const originService = v1.OriginService.service;
export const webhookSubscriptionService = v1.WebhookSubscriptionService.service;

export type { AuthorizeRequest__Output as AuthorizeRequest } from '../generated/identity/v1/AuthorizeRequest.ts';
export type { AuthorizeResponse__Output as AuthorizeResponse } from '../generated/identity/v1/AuthorizeResponse.ts';
export type { CheckedPromise__Output as CheckedPromise } from '../generated/identity/v1/CheckedPromise.ts';
export type { CredentialType__Output as CredentialType } from '../generated/identity/v1/CredentialType.ts';
export type { Outcome__Output as Outcome } from '../generated/identity/v1/Outcome.ts';
export type { Principal__Output as Principal } from '../generated/identity/v1/Principal.ts';
export type { Recipient__Output as RecipientMessage } from '../generated/identity/v1/Recipient.ts';
export type { RequestRecord__Output as RequestRecordMessage } from '../generated/identity/v1/RequestRecord.ts';
export type { RetiredCalls__Output as RetiredCallsMessage } from '../generated/identity/v1/RetiredCalls.ts';
export type { RetiredString__Output as RetiredStringMessage } from '../generated/identity/v1/RetiredString.ts';
export type { Subscription__Output as SubscriptionMessage } from '../generated/identity/v1/Subscription.ts';
export type { UsageCount__Output as UsageCount } from '../generated/identity/v1/UsageCount.ts';
export type { WarningStep__Output as WarningStepMessage } from '../generated/identity/v1/WarningStep.ts';
