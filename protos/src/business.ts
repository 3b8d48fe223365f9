// business.v1: service definitions with their types, and the message types that services use.
import type { ProtoGrpcType as BusinessProto } from '../generated/business.ts';
import type { ProtoGrpcType as CustomerProto } from '../generated/customer.ts';
import type { ProtoGrpcType as EventProto } from '../generated/event.ts';
import type { ProtoGrpcType as SandboxProto } from '../generated/sandbox.ts';
import { loadProtos } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const { v1 } = (
  loadProtos(
    'business/v1/business.proto',
    'business/v1/customer.proto',
    'business/v1/event.proto',
    'business/v1/sandbox.proto',
  ) as unknown as BusinessProto & CustomerProto & EventProto & SandboxProto
).business;

export const businessService = v1.BusinessService.service;
export const customerService = v1.CustomerService.service;
export const eventFeedService = v1.EventFeedService.service;
export const sandboxService = v1.SandboxService.service;

export type { Business__Output as BusinessMessage } from '../generated/business/v1/Business.ts';
export type { Event__Output as EventMessage } from '../generated/business/v1/Event.ts';
export type { Head__Output as HeadMessage } from '../generated/business/v1/Head.ts';
export type { VerificationStatus__Output as VerificationStatus } from '../generated/business/v1/VerificationStatus.ts';
