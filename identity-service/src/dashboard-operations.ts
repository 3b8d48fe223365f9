// Prints the OpenAPI document of the dashboard API, or with the argument `operators` that of the operators' API, for generators
// of clients.

import { auditSpecs } from './audit/dashboard.ts';
import { noticeSpecs } from './audit/notices/dashboard.ts';
import { businessSpecs, freezeSpecs, sessionSpecs } from './businesses/dashboard-schema.ts';
import { overviewSpecs } from './businesses/overview/dashboard.ts';
import { sandboxSpecs } from './businesses/sandboxes/dashboard-schema.ts';
import { apiKeyAccessSpecs } from './credentials/api-keys/access-schema.ts';
import { apiKeysSpecs } from './credentials/api-keys/dashboard-schema.ts';
import { applicationsSpecs } from './credentials/applications/dashboard-schema.ts';
import { goLiveSpecs } from './credentials/applications/go-live/dashboard-schema.ts';
import { problemSpecs } from './credentials/applications/problems/dashboard-schema.ts';
import { forecastSpecs } from './credentials/forecasts/dashboard-schema.ts';
import { connectedSpecs } from './credentials/grants/dashboard-schema.ts';
import { keyLifetimeSpecs } from './credentials/key-lifetimes/dashboard-schema.ts';
import { leakSpecs } from './leaks/dashboard-schema.ts';
import { operatorActionSpecs } from './operators/action-schema.ts';
import { operatorReadSpecs } from './operators/dashboard-schema.ts';
import { limitRequestSpecs } from './operators/limit-requests/dashboard-schema.ts';
import { deletionSpecs } from './people/account-deletion/dashboard-schema.ts';
import { emailChangeSpecs } from './people/email-change/dashboard-schema.ts';
import { profileSpecs } from './people/profile/dashboard-schema.ts';
import { passkeySpecs } from './people/profile/passkeys/dashboard-schema.ts';
import { requirementSpecs } from './people/required-factor/dashboard-schema.ts';
import { teamSpecs } from './people/team/dashboard-schema.ts';
import { requestsSpecs } from './traffic/dashboard-schema.ts';
import { retiredSpecs } from './traffic/retired-dashboard.ts';
import { dashboardAudience, describeOperations, operatorsAudience } from './web/dashboard-api/openapi.ts';
import type { Spec } from './web/dashboard-api/spec.ts';
import { webhooksSpecs } from './webhooks/dashboard-schema.ts';

/** Every operation of the dashboard API. */
const dashboardSpecs: readonly Spec[] = [
  ...sessionSpecs,
  ...apiKeysSpecs,
  ...apiKeyAccessSpecs,
  ...keyLifetimeSpecs,
  ...applicationsSpecs,
  ...problemSpecs,
  ...goLiveSpecs,
  ...connectedSpecs,
  ...forecastSpecs,
  ...overviewSpecs,
  ...requestsSpecs,
  ...retiredSpecs,
  ...auditSpecs,
  ...businessSpecs,
  ...freezeSpecs,
  ...leakSpecs,
  ...sandboxSpecs,
  ...limitRequestSpecs,
  ...teamSpecs,
  ...profileSpecs,
  ...passkeySpecs,
  ...emailChangeSpecs,
  ...deletionSpecs,
  ...requirementSpecs,
  ...noticeSpecs,
  ...webhooksSpecs,
];

const document =
  process.argv[2] === 'operators'
    ? describeOperations(
        [...operatorReadSpecs, ...operatorActionSpecs],
        'http://localhost:8080',
        operatorsAudience,
      )
    : describeOperations(dashboardSpecs, 'http://localhost:8080', dashboardAudience);
process.stdout.write(`${JSON.stringify(document)}\n`);
