// business.v1: the service definition with its types, and the message types that services use.
import type { ProtoGrpcType as BusinessProto } from '../generated/business.ts';
import { loadProto } from './load.ts';

// What proto-loader reads at run time is what the types were generated from; the compiler cannot see it.
const business = loadProto('business/v1/business.proto') as unknown as BusinessProto;

export const businessService = business.business.v1.BusinessService.service;

export type { Business__Output as BusinessMessage } from '../generated/business/v1/Business.ts';
export type { VerificationStatus__Output as VerificationStatus } from '../generated/business/v1/VerificationStatus.ts';
