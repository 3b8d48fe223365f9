// webhook.v1: service definitions with their types, and the message types that services use.
import type { ProtoGrpcType as DeliveryProto } from '../generated/delivery.ts';
import type { ProtoGrpcType as EndpointProto } from '../generated/endpoint.ts';
import type { ProtoGrpcType as ReceiverCheckProto } from '../generated/receiver_check.ts';
import { loadProto } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const endpoint = loadProto('webhook/v1/endpoint.proto') as unknown as EndpointProto;
const delivery = loadProto('webhook/v1/delivery.proto') as unknown as DeliveryProto;
const receiverCheck = loadProto('webhook/v1/receiver_check.proto') as unknown as ReceiverCheckProto;

export const endpointService = endpoint.webhook.v1.EndpointService.service;
export const deliveryService = delivery.webhook.v1.DeliveryService.service;
export const receiverCheckService = receiverCheck.webhook.v1.ReceiverCheckService.service;

export type { Attempt__Output as AttemptMessage } from '../generated/webhook/v1/Attempt.ts';
export type { Delivery__Output as DeliveryMessage } from '../generated/webhook/v1/Delivery.ts';
export type { DeliveryStatus__Output as DeliveryStatusMessage } from '../generated/webhook/v1/DeliveryStatus.ts';
export type { DisabledReason__Output as DisabledReasonMessage } from '../generated/webhook/v1/DisabledReason.ts';
export type { Endpoint__Output as EndpointMessage } from '../generated/webhook/v1/Endpoint.ts';
