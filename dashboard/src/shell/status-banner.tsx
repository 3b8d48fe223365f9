import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle, IconSnowflake } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { lacksSecondFactor, useCurrentBusiness, useSession } from './session-context.ts';

const verificationTexts = {
  unverified: 'This business is not verified. Verification is required to register and connect apps.',
  pending:
    'The verification of this business is in review. Apps cannot be registered or connected until then.',
  rejected: 'The verification of this business was rejected. Apps cannot be registered or connected.',
} as const;

/** Shows a freeze or missing verification on every page of the business. */
export function StatusBanner() {
  const session = useSession();
  const business = useCurrentBusiness();
  if (business === undefined || lacksSecondFactor(session, business)) return null;
  const { frozen, verification, role } = business;
  const isUnverified = verification !== null && verification !== 'verified';
  if (!frozen && !isUnverified) return null;
  const mayVerify = role === 'owner' && verification !== 'pending';
  return (
    <Stack gap="sm" mb="xl">
      {frozen && (
        <Alert color="red" icon={<IconSnowflake />} role="status" title="API access is frozen">
          All API requests of this business are refused until the freeze is lifted.{' '}
          <SettingsLink>{role === 'owner' ? 'Lift the freeze' : 'View details'}</SettingsLink>
        </Alert>
      )}
      {isUnverified && (
        <Alert color="yellow" icon={<IconAlertTriangle />} role="status">
          {verificationTexts[verification]}{' '}
          <SettingsLink>{mayVerify ? 'Verify this business' : 'View verification'}</SettingsLink>
        </Alert>
      )}
    </Stack>
  );
}

function SettingsLink({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
  const href = `/${useCurrentBusiness()?.id}/settings/business`;
  // Hidden on the page that it links to.
  if (path === href) return null;
  return (
    <Anchor component={Link} href={href} underline="always">
      {children}
    </Anchor>
  );
}
