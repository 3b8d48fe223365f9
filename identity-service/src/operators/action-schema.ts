import { z } from 'zod';
import { givenInstant, propagation } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { one } from './dashboard-schema.ts';

const reason = z.string().describe('For the owners, who read it: one line of 1 to 500 characters.');

const withReason = z.strictObject({ reason });

const confirmation = z.object({ propagation }).describe('Of a change that gateways must know.');

/** A change with a reason, by `POST`. */
const act = <const Path extends string>(id: string, path: Path, summary: string) =>
  declare({
    id,
    method: 'POST',
    path,
    summary,
    query: none,
    body: withReason,
    status: 204,
    response: noBody,
  });

/** The same, where gateways confirm. */
const published = <const Path extends string>(id: string, path: Path, summary: string) =>
  declare({ id, method: 'POST', path, summary, query: none, body: withReason, response: confirmation });

/** A decision about the facts that the operator read. */
const decision = <const Path extends string>(id: string, path: Path, summary: string) =>
  declare({
    id,
    method: 'POST',
    path,
    summary: `${summary} 409 where the facts were submitted again since.`,
    query: none,
    body: withReason.extend({ submittedAt: givenInstant.describe('Of the facts that were read.') }),
    status: 204,
    response: noBody,
  });

export const approve = decision('approveVerification', `${one}/approve`, 'Approves a verification.');

export const reject = decision('rejectVerification', `${one}/reject`, 'Rejects a verification.');

/** A ban or its end; a proposal of it while four eyes are on. */
const banned = <const Path extends string>(id: string, path: Path, summary: string) =>
  declare({
    id,
    method: 'POST',
    path,
    summary: `${summary} With four eyes, proposes it to another operator.`,
    query: none,
    body: withReason,
    response: z.object({
      propagation: propagation.nullable().describe('null for a proposal.'),
      proposalId: z.string().nullable().describe('null when it is done.'),
    }),
  });

export const ban = banned('banBusiness', `${one}/ban`, 'Bans a business and suspends its apps.');

export const unban = banned('unbanBusiness', `${one}/unban`, 'Lifts a ban, and the suspension of the apps.');

export const freeze = published(
  'freezeBusiness',
  `${one}/freeze`,
  'Refuses every API request of a business until an owner or operator lifts the freeze.',
);

export const liftFreeze = published('liftFreeze', `${one}/unfreeze`, 'Lifts the freeze of a business.');

export const removeLogo = act('removeLogo', `${one}/remove-logo`, 'Takes the logo of a business away.');

const oneProposal = '/proposals/{proposalId}';

export const confirmProposal = published(
  'confirmProposal',
  `${oneProposal}/confirm`,
  'Carries out the proposal of another operator, with its reason; this one is for the log of operators.',
);

export const declineProposal = act(
  'declineProposal',
  `${oneProposal}/decline`,
  'Ends the proposal of another operator without effect.',
);

const oneApp = `${one}/applications/{applicationId}` as const;

export const suspend = published('suspendApplication', `${oneApp}/suspend`, 'Suspends an app.');

export const resume = published(
  'resumeApplication',
  `${oneApp}/resume`,
  'Lifts the suspension of an app that an operator made.',
);

const limit = z.int('must be a whole number');

const withLimit = z.strictObject({ limit, reason });

export const setApplicationLimit = declare({
  id: 'setApplicationLimit',
  method: 'PUT',
  path: `${oneApp}/limit`,
  summary: 'Sets how many businesses may be connected to an app.',
  query: none,
  body: withLimit,
  status: 204,
  response: noBody,
});

export const setKeyLimit = declare({
  id: 'setKeyLimit',
  method: 'PUT',
  path: `${one}/api-keys/{apiKeyId}/limit`,
  summary: 'Sets how many requests an API key may make in any hour.',
  query: none,
  body: withLimit,
  response: confirmation,
});

const oneRequest = '/limit-requests/{limitRequestId}';

export const grantLimit = declare({
  id: 'grantLimitRequest',
  method: 'POST',
  path: `${oneRequest}/grant`,
  summary: 'Sets the limit that is asked for, or another one, and emails the owner who asked.',
  query: none,
  body: z.strictObject({ limit: limit.optional(), reason }),
  status: 204,
  response: noBody,
});

export const declineLimit = act(
  'declineLimitRequest',
  `${oneRequest}/decline`,
  'Leaves the limit as it is, and emails the owner who asked.',
);

export const operatorActionSpecs = [
  ...[approve, reject, ban, unban, freeze, liftFreeze, removeLogo, confirmProposal, declineProposal],
  ...[suspend, resume, setApplicationLimit, setKeyLimit, grantLimit, declineLimit],
];
