import { Button } from '@mantine/core';
import { Link } from 'wouter';

/** The way on from an invitation that leads nowhere. */
export function ToDashboard() {
  return (
    <Button component={Link} href="~/dashboard" variant="default">
      Go to your dashboard
    </Button>
  );
}
