// identity.v1: service definitions with their types, and the message types that services use.
import type { ProtoGrpcType as AccountProto } from '../generated/account.ts';
import type { ProtoGrpcType as ApiKeyProto } from '../generated/api_key.ts';
import type { ProtoGrpcType as ApplicationProto } from '../generated/application.ts';
import type { ProtoGrpcType as AuthorizationProto } from '../generated/authorization.ts';
import type { ProtoGrpcType as LimitRequestProto } from '../generated/limit_request.ts';
import type { ProtoGrpcType as OperatorProto } from '../generated/operator.ts';
import type { ProtoGrpcType as OriginProto } from '../generated/origin.ts';
import type { ProtoGrpcType as PersonProto } from '../generated/person.ts';
import type { ProtoGrpcType as UsageProto } from '../generated/usage.ts';
import type { ProtoGrpcType as WebhookProto } from '../generated/webhook.ts';
import { loadProtos } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const { v1 } = (
  loadProtos(
    'identity/v1/authorization.proto',
    'identity/v1/account.proto',
    'identity/v1/api_key.proto',
    'identity/v1/application.proto',
    'identity/v1/limit_request.proto',
    'identity/v1/operator.proto',
    'identity/v1/person.proto',
    'identity/v1/usage.proto',
    'identity/v1/origin.proto',
    'identity/v1/webhook.proto',
  ) as unknown as AuthorizationProto &
    AccountProto &
    ApiKeyProto &
    ApplicationProto &
    LimitRequestProto &
    OperatorProto &
    PersonProto &
    UsageProto &
    OriginProto &
    WebhookProto
).identity;

export const authorizationService = v1.AuthorizationService.service;
export const apiKeyService = v1.ApiKeyService.service;
export const applicationService = v1.ApplicationService.service;
export const grantService = v1.GrantService.service;
export const businessAccountService = v1.BusinessAccountService.service;
export const limitRequestService = v1.LimitRequestService.service;
export const operatorService = v1.OperatorService.service;
export const personService = v1.PersonService.service;
export const usageService = v1.UsageService.service;
export const originService = v1.OriginService.service;
export const webhookSubscriptionService = v1.WebhookSubscriptionService.service;
export const webhookEndpointService = v1.WebhookEndpointService.service;

export type { Actor__Output as Actor } from '../generated/identity/v1/Actor.ts';
export type { ApiKey__Output as ApiKeyMessage } from '../generated/identity/v1/ApiKey.ts';
export type { ApiKeyStatus__Output as ApiKeyStatus } from '../generated/identity/v1/ApiKeyStatus.ts';
export type { ApiKeyType__Output as ApiKeyType } from '../generated/identity/v1/ApiKeyType.ts';
export type { Application__Output as ApplicationMessage } from '../generated/identity/v1/Application.ts';
export type { ApplicationSettings as ApplicationSettingsMessage } from '../generated/identity/v1/ApplicationSettings.ts';
export type { AuditEvent__Output as AuditEventMessage } from '../generated/identity/v1/AuditEvent.ts';
export type { AuthorizeRequest__Output as AuthorizeRequest } from '../generated/identity/v1/AuthorizeRequest.ts';
export type { AuthorizeResponse__Output as AuthorizeResponse } from '../generated/identity/v1/AuthorizeResponse.ts';
export type { ClientSecret__Output as ClientSecretMessage } from '../generated/identity/v1/ClientSecret.ts';
export type { CredentialType__Output as CredentialType } from '../generated/identity/v1/CredentialType.ts';
export type { Grant__Output as GrantMessage } from '../generated/identity/v1/Grant.ts';
export type { LimitRequest__Output as LimitRequestMessage } from '../generated/identity/v1/LimitRequest.ts';
export type { Member__Output as MemberMessage } from '../generated/identity/v1/Member.ts';
export type { Operator__Output as OperatorMessage } from '../generated/identity/v1/Operator.ts';
export type { OperatorInvitation__Output as OperatorInvitationMessage } from '../generated/identity/v1/OperatorInvitation.ts';
export type { Outcome__Output as Outcome } from '../generated/identity/v1/Outcome.ts';
export type { Principal__Output as Principal } from '../generated/identity/v1/Principal.ts';
export type { Propagation__Output as Propagation } from '../generated/identity/v1/Propagation.ts';
export type { Recipient__Output as RecipientMessage } from '../generated/identity/v1/Recipient.ts';
export type { RequestRecord__Output as RequestRecordMessage } from '../generated/identity/v1/RequestRecord.ts';
export type { Subscription__Output as SubscriptionMessage } from '../generated/identity/v1/Subscription.ts';
export type { Suspension__Output as SuspensionMessage } from '../generated/identity/v1/Suspension.ts';
export type { UsageCount__Output as UsageCount } from '../generated/identity/v1/UsageCount.ts';
export type { WarningStep__Output as WarningStepMessage } from '../generated/identity/v1/WarningStep.ts';
