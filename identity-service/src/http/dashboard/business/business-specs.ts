import { z } from 'zod';
import { instant, instantOrNull } from '../instant.ts';
import { declare, noBody, none } from '../spec.ts';

const record = z
  .object({
    numericId: z.int(),
    uniqueId: z.string(),
    accountHolder: z.string(),
    username: z.string(),
    logo: z.string().nullable().describe('URL of a picture.'),
    isBanned: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'BusinessRecord' });

const facts = z
  .object({
    legalName: z.string(),
    registrationNumber: z.string(),
    country: z.string().describe('ISO 3166-1 alpha-2.'),
  })
  .meta({ id: 'LegalFacts' });

const verification = z
  .object({
    state: z.enum(['unverified', 'pending', 'verified', 'rejected']),
    facts: facts.nullable().describe('As they were handed in last.'),
    submittedAt: instantOrNull,
    decidedAt: instantOrNull,
    rejectionReason: z.string().nullable(),
  })
  .meta({ id: 'Verification' });

export const getBusiness = declare({
  id: 'getBusiness',
  method: 'GET',
  path: '/businesses/{businessId}',
  summary: 'The business as it is registered, and its verification.',
  query: none,
  body: noBody,
  answer: z
    .object({
      id: z.string().describe('The identifier in addresses.'),
      record: record.nullable(),
      verification: verification.nullable(),
    })
    .describe('`record` and `verification` are null while business-service does not answer.')
    .meta({ id: 'Business' }),
});

export const submitVerification = declare({
  id: 'submitVerification',
  method: 'POST',
  path: '/businesses/{businessId}/verification',
  summary: 'Hands in the legal facts of the business, to be checked.',
  role: 'owner',
  query: none,
  body: z.strictObject({ legalName: z.string(), registrationNumber: z.string(), country: z.string() }),
  status: 204,
  answer: noBody,
});

export const getRecentCalls = declare({
  id: 'getRecentCalls',
  method: 'GET',
  path: '/businesses/{businessId}/recent-calls',
  summary: 'How many API requests of the business came lately, whatever their answer; a few seconds old.',
  query: none,
  body: noBody,
  answer: z.object({ lastHour: z.int().min(0), lastDay: z.int().min(0) }).meta({ id: 'RecentCalls' }),
});

export const businessSpecs = [getBusiness, submitVerification, getRecentCalls];
