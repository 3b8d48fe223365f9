import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle, IconSnowflake } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCurrentBusiness } from './session-context.ts';

const verificationTexts = {
  unverified: 'This business is not verified yet. API keys work; registering and connecting apps does not.',
  pending:
    'The verification of this business is being checked. Until then apps cannot be registered or connected.',
  rejected: 'The verification of this business was rejected. Apps cannot be registered or connected.',
} as const;

/** Says on every page what keeps the whole business from working. */
export function StatusBanner() {
  const business = useCurrentBusiness();
  if (business === undefined) return null;
  const { frozen, verification, role } = business;
  const isOpen = verification !== null && verification !== 'verified';
  if (!frozen && !isOpen) return null;
  const mayVerify = role === 'owner' && verification !== 'pending';
  return (
    <Stack gap="sm" mb="xl">
      {frozen && (
        <Alert color="red" icon={<IconSnowflake />} role="status" title="API access is frozen">
          Every API request of this business is refused until an owner lifts the freeze.{' '}
          <SettingsLink>{role === 'owner' ? 'Lift the freeze' : 'Show the freeze'}</SettingsLink>
        </Alert>
      )}
      {isOpen && (
        <Alert color="yellow" icon={<IconAlertTriangle />} role="status">
          {verificationTexts[verification]}{' '}
          <SettingsLink>{mayVerify ? 'Verify this business' : 'Show the verification'}</SettingsLink>
        </Alert>
      )}
    </Stack>
  );
}

function SettingsLink({ children }: { readonly children: ReactNode }) {
  const business = useCurrentBusiness();
  return (
    <Anchor component={Link} href={`/${business?.id}/settings/business`} underline="always">
      {children}
    </Anchor>
  );
}
