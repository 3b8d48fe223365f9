import { Code, Progress, Stack, Text } from '@mantine/core';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { type Endpoint, shownRecovery } from './health.ts';

/** How many deliveries of a recovery were sent again. */
export function RecoveryProgress({ endpoint }: { readonly endpoint: Endpoint }) {
  const recovery = shownRecovery(endpoint, Date.now());
  if (recovery === null) return null;
  const { since, total, sent } = recovery;
  const of = pluralize(total, 'delivery', 'deliveries');
  return (
    <Stack gap={6} role="group" aria-label={`Recovery of ${endpoint.url}`}>
      <Text size="sm">
        Recovery of <Code>{endpoint.url}</Code> since <Timestamp at={since} format="exact" />:{' '}
        {formatNumber(sent)} of {of} sent again.
      </Text>
      <Progress
        value={total === 0 ? 100 : (100 * sent) / total}
        color={sent < total ? 'blue' : 'green'}
        size="sm"
        aria-label="Deliveries sent again"
      />
    </Stack>
  );
}
