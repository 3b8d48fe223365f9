import { apiKeysSpecs } from './api-keys/api-keys-specs.ts';
import { applicationsSpecs } from './applications/applications-specs.ts';
import { auditSpecs } from './audit/audit-specs.ts';
import { businessSpecs } from './business/business-specs.ts';
import { connectedSpecs } from './connected/connected-specs.ts';
import { freezeSpecs } from './freeze/freeze-specs.ts';
import { overviewSpecs } from './overview/overview-specs.ts';
import { profileSpecs } from './profile/profile-specs.ts';
import { requestsSpecs } from './requests/requests-specs.ts';
import { sessionSpecs } from './session/session-specs.ts';
import type { Spec } from './spec.ts';
import { teamSpecs } from './team/team-specs.ts';

/** Every operation of the dashboard API. */
export const dashboardSpecs: readonly Spec[] = [
  ...sessionSpecs,
  ...apiKeysSpecs,
  ...applicationsSpecs,
  ...connectedSpecs,
  ...overviewSpecs,
  ...requestsSpecs,
  ...auditSpecs,
  ...businessSpecs,
  ...freezeSpecs,
  ...teamSpecs,
  ...profileSpecs,
];
