import { Alert } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';

/** What the server says about a change that takes access away. */
export type Propagation = 'confirmed' | 'pending';

/** Says that a change is stored, and not yet known to every gateway. Nothing once it is. */
export function PropagationNotice({ propagation }: { readonly propagation: Propagation | undefined }) {
  if (propagation !== 'pending') return null;
  return (
    <Alert color="yellow" icon={<IconClock />} role="status" title="Done; gateways confirm within 30 seconds">
      The change is stored. Until every gateway has heard of it, a request may still get through as before.
    </Alert>
  );
}
