import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { useRefreshBusiness } from './business.ts';

/** Lets programs in again. */
export function LiftDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const lifting = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE('/businesses/{businessId}/freeze', { params: { path: { businessId } } })),
    onSuccess: async () => {
      await refresh();
      onClose();
      toast('The freeze is lifted. Requests are let in again.');
    },
  });
  return (
    <ConfirmDialog
      title="Lift the freeze?"
      action="Lift the freeze"
      opened={opened}
      onClose={() => {
        onClose();
        lifting.reset();
      }}
      mutation={lifting}
      onConfirm={() => lifting.mutate()}
    >
      <Text size="sm">
        Requests are let in again at once, by the same keys and apps as before. If a key may have been stolen,
        rotate or delete it first.
      </Text>
    </ConfirmDialog>
  );
}
