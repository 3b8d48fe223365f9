import { Alert, Anchor } from '@mantine/core';
import { IconAlertTriangle, IconSnowflake } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useCurrentBusiness } from './business-context.ts';

const verificationTexts = {
  unverified: 'This business is not verified yet. API keys work; registering and connecting apps does not.',
  pending:
    'The verification of this business is being checked. Until then apps cannot be registered or connected.',
  rejected: 'The verification of this business was rejected. Apps cannot be registered or connected.',
} as const;

/** Says on every page what keeps the whole business from working. */
export function StateBanner() {
  const business = useCurrentBusiness();
  if (business === undefined) return null;
  const { id, frozen, verification } = business;
  const settings = (text: string) => (
    <Anchor component={Link} href={`/${id}/settings/business`} inherit underline="always">
      {text}
    </Anchor>
  );
  if (frozen) {
    return (
      <Alert color="red" icon={<IconSnowflake />} mb="xl" role="status" title="API access is frozen">
        Every API request of this business is refused until an owner lifts the freeze. {settings('Show')}
      </Alert>
    );
  }
  if (verification === null || verification === 'verified') return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} mb="xl" role="status">
      {verificationTexts[verification]} {settings(verification === 'pending' ? 'Show' : 'Verify')}
    </Alert>
  );
}
