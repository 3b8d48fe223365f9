import { type FindBusiness, findBusinesses } from '../../../clients/business.ts';
import type { RequestLog } from '../../../traffic/request-log.ts';
import type { Span } from '../../../traffic/usage.ts';
import { businessOperation, type Operation } from '../../../web/dashboard-api/operation.ts';
import type { Application } from '../application.ts';
import { getApplication } from '../operations.ts';
import type { ApplicationStore } from '../store.ts';
import * as specs from './dashboard-schema.ts';
import { type Problem, problemsOf } from './problem.ts';
import type { ProblemStore } from './store.ts';

/** Milliseconds in which a failure is a problem. */
const recentMs = 7 * 24 * 3_600_000;

interface ProblemDeps {
  readonly applications: ApplicationStore;
  readonly problems: ProblemStore;
  readonly requests: Pick<RequestLog, 'groups'>;
  readonly findBusiness: FindBusiness;
  /** Address for questions. */
  readonly supportEmail: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Problems of an application, for its publisher. */
export function problemOperations(deps: ProblemDeps): Operation[] {
  return [
    businessOperation(specs.listApplicationProblems, async ({ businessId, param, requestId }) => {
      const reference = { businessId, applicationId: param('applicationId') };
      const application = await getApplication(deps, reference);
      const to = deps.now();
      const problems = await findProblems(deps, application, { from: to - recentMs, to });
      const ids = problems.flatMap(({ businesses }) => businesses.map((each) => each.businessId));
      const known = await findBusinesses(deps.findBusiness, ids, requestId);
      return {
        since: to - recentMs,
        problems: problems.map(({ advice, anchor, businesses, ...problem }) => ({
          ...problem,
          advice: advice.replace('{support}', deps.supportEmail),
          help: `/docs/errors#${anchor}`,
          businesses: businesses.map(({ businessId: id, requests }) => ({
            name: known.get(id)?.accountHolder ?? null,
            requests,
          })),
        })),
      };
    }),
  ];
}

async function findProblems(
  { problems, requests }: ProblemDeps,
  { id, businessId, name }: Application,
  span: Span,
): Promise<Problem[]> {
  const [oauth, grants, repeatedChallenges] = await Promise.all([
    requests.groups(businessId, { limitId: id, ...span }),
    problems.failingGrants(businessId, id, span),
    problems.repeatedChallenges(businessId, id),
  ]);
  const early = await problems.earlyCalls(grants, span);
  const connections = [];
  // One after the other: a page must not take every connection of the database.
  for (const grant of grants) {
    const groups = await requests.groups(grant.businessId, { limitId: grant.grantId, ...span });
    connections.push({ businessId: grant.businessId, groups });
  }
  const client = { limitId: id, kind: 'application', id, name, exists: true, isOwn: true } as const;
  return problemsOf({ client, oauth, connections, early, repeatedChallenges });
}
