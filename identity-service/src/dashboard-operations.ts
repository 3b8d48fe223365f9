// Prints the OpenAPI document of the dashboard API, or with the argument `operators` that of the operators' API, for generators
// of clients.

import { deletionSpecs } from './account-deletion/dashboard-schema.ts';
import { apiKeysSpecs } from './api-keys/dashboard-schema.ts';
import { applicationsSpecs } from './applications/dashboard-schema.ts';
import { auditSpecs } from './audit/dashboard.ts';
import { businessSpecs, freezeSpecs, sessionSpecs } from './businesses/dashboard-schema.ts';
import { emailChangeSpecs } from './email-change/dashboard-schema.ts';
import { connectedSpecs } from './grants/dashboard-schema.ts';
import { limitRequestSpecs } from './limit-requests/dashboard-schema.ts';
import { noticeSpecs } from './notices/dashboard.ts';
import { operatorReadSpecs } from './operators/dashboard-schema.ts';
import { operatorDeedSpecs } from './operators/deed-schema.ts';
import { overviewSpecs } from './overview/dashboard.ts';
import { passkeySpecs } from './passkeys/dashboard-schema.ts';
import { profileSpecs } from './people/dashboard-schema.ts';
import { requirementSpecs } from './required-factor/dashboard-schema.ts';
import { teamSpecs } from './team/dashboard-schema.ts';
import { requestsSpecs } from './traffic/dashboard.ts';
import { dashboardAudience, describeOperations, operatorsAudience } from './web/dashboard-api/openapi.ts';
import type { Spec } from './web/dashboard-api/spec.ts';
import { webhooksSpecs } from './webhooks/dashboard-schema.ts';

/** Every operation of the dashboard API. */
const dashboardSpecs: readonly Spec[] = [
  ...sessionSpecs,
  ...apiKeysSpecs,
  ...applicationsSpecs,
  ...connectedSpecs,
  ...overviewSpecs,
  ...requestsSpecs,
  ...auditSpecs,
  ...businessSpecs,
  ...freezeSpecs,
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
        [...operatorReadSpecs, ...operatorDeedSpecs],
        'http://localhost:8080',
        operatorsAudience,
      )
    : describeOperations(dashboardSpecs, 'http://localhost:8080', dashboardAudience);
process.stdout.write(`${JSON.stringify(document)}\n`);
