import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconScissors } from '@tabler/icons-react';
import type { Scope } from '../../api/scopes.ts';
import { ActionError } from '../../parts/action-error.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import { refusedAfterwards } from './refused-afterwards.ts';
import { UsedMeanwhile, useShrinkScopes } from './use-shrink-scopes.ts';

/** Offers to take away what was never used. */
export function ShrinkScopes({
  apiKey,
  spare,
}: {
  readonly apiKey: ApiKeyDetail;
  /** Scopes without use, at least one. */
  readonly spare: readonly Scope[];
}) {
  const { mutate, isPending, error } = useShrinkScopes(apiKey);
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {spare.length === 1 ? 'One permission was' : `${spare.length} permissions were`} never used. Without{' '}
        {spare.length === 1 ? 'it' : 'them'}, the key can do less harm if it leaks. {refusedAfterwards(spare)}
      </Text>
      <Button
        variant="default"
        leftSection={<IconScissors size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Keep only what is used
      </Button>
      {error instanceof UsedMeanwhile ? (
        <Alert color="yellow" p="sm" role="status">
          Something else was used a moment ago, so nothing was changed. Look again at what is left.
        </Alert>
      ) : (
        <ActionError error={error} />
      )}
    </Stack>
  );
}
