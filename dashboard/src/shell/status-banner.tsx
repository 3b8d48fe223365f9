import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle, IconFlask, IconSnowflake } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { lacksSecondFactor, useCurrentBusiness, useSession } from './session-context.ts';

const verificationTexts = {
  unverified: 'This business is not verified. Verification is required to register and connect apps.',
  pending:
    'The verification of this business is in review. Apps cannot be registered or connected until then.',
  rejected: 'The verification of this business was rejected. Apps cannot be registered or connected.',
} as const;

const settings = '/settings/business';

/** Shows a sandbox, a freeze or missing verification on every page of the business. */
export function StatusBanner() {
  const session = useSession();
  const business = useCurrentBusiness();
  if (business === undefined || lacksSecondFactor(session, business)) return null;
  const { frozen, verification, role, isSandbox } = business;
  const isUnverified = verification !== null && verification !== 'verified';
  if (!frozen && !isUnverified && !isSandbox) return null;
  const mayVerify = role === 'owner' && verification !== 'pending';
  return (
    <Stack gap="sm" mb="xl">
      {isSandbox && (
        <Alert color="violet" icon={<IconFlask />} role="status">
          This is a sandbox: nothing here reaches a real business.{' '}
          <BusinessLink path="/sandbox">Invented orders and its end</BusinessLink>
        </Alert>
      )}
      {frozen && (
        <Alert color="red" icon={<IconSnowflake />} role="status" title="API access is frozen">
          All API requests of this business are refused until the freeze is lifted.{' '}
          <BusinessLink path={settings}>{role === 'owner' ? 'Lift the freeze' : 'View details'}</BusinessLink>
        </Alert>
      )}
      {isUnverified && (
        <Alert color="yellow" icon={<IconAlertTriangle />} role="status">
          {verificationTexts[verification]}{' '}
          <BusinessLink path={settings}>
            {mayVerify ? 'Verify this business' : 'View verification'}
          </BusinessLink>
          {session.maySandbox && (
            <>
              {' · '}
              <Anchor component={Link} href="/new-business" underline="always">
                Try apps in a sandbox
              </Anchor>
            </>
          )}
        </Alert>
      )}
    </Stack>
  );
}

/** A link to a page of the business; hidden on that page. */
function BusinessLink({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  const [current] = useLocation();
  const href = `/${useCurrentBusiness()?.id}${path}`;
  if (current === href) return null;
  return (
    <Anchor component={Link} href={href} underline="always">
      {children}
    </Anchor>
  );
}
