// webhook.v1: service definitions with their types, and the message types that services use.
import type { ProtoGrpcType as DeliveryProto } from '../generated/delivery.ts';
import type { ProtoGrpcType as EndpointProto } from '../generated/endpoint.ts';
import type { ProtoGrpcType as ReceiverCheckProto } from '../generated/receiver_check.ts';
import { loadProtos } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const { v1 } = (
  loadProtos(
    'webhook/v1/endpoint.proto',
    'webhook/v1/delivery.proto',
    'webhook/v1/receiver_check.proto',
  ) as unknown as EndpointProto & DeliveryProto & ReceiverCheckProto
).webhook;

export const endpointService = v1.EndpointService.service;
export const deliveryService = v1.DeliveryService.service;
export const receiverCheckService = v1.ReceiverCheckService.service;

export type { Attempt__Output as AttemptMessage } from '../generated/webhook/v1/Attempt.ts';
export type { Delivery__Output as DeliveryMessage } from '../generated/webhook/v1/Delivery.ts';
export type { DeliveryStatus__Output as DeliveryStatusMessage } from '../generated/webhook/v1/DeliveryStatus.ts';
export type { DisabledReason__Output as DisabledReasonMessage } from '../generated/webhook/v1/DisabledReason.ts';
export type { Endpoint__Output as EndpointMessage } from '../generated/webhook/v1/Endpoint.ts';
