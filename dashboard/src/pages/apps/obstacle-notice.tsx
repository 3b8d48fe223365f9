import { Alert, Anchor } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { RegistrationObstacle } from './applications.ts';

/** Why no app can be registered now, and what helps. */
export function ObstacleNotice({ obstacle: { reason, text } }: { readonly obstacle: RegistrationObstacle }) {
  if (reason === 'application_limit_reached') {
    return (
      <Alert color="gray" icon={<IconInfoCircle />} role="status">
        {text} Delete one that you no longer need to make room for another.
      </Alert>
    );
  }
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title="Apps can be registered once the business is verified"
    >
      {text}{' '}
      <Anchor component={Link} href="/settings/business" inherit underline="always">
        Go to verification
      </Anchor>
    </Alert>
  );
}
