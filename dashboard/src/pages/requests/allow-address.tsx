import { Button, Text } from '@mantine/core';
import { IconCircleCheck, IconShieldPlus } from '@tabler/icons-react';
import { toastError, toastPropagation } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useAllowAddress } from './requests.ts';

/** Adds a refused address to the IP whitelist of an API key or an own app, by one press. */
export function AllowAddress({
  missing,
}: {
  readonly missing: NonNullable<components['schemas']['MissingAddress']>;
}) {
  const allow = useAllowAddress(missing);
  const { address } = missing;
  if (allow.isSuccess) {
    return (
      <Text size="sm" fw={600} role="status">
        <IconCircleCheck size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {address} is on the
        IP whitelist now. The same request would be accepted.
      </Text>
    );
  }
  return (
    <Button
      size="xs"
      leftSection={<IconShieldPlus size={16} aria-hidden />}
      loading={allow.isPending}
      onClick={() => allow.mutate(undefined, { onSuccess: toastPropagation, onError: toastError })}
    >
      Add {address} to the whitelist
    </Button>
  );
}
