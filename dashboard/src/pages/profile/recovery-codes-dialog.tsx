import { answerOf, api } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { PasswordForm } from './password-form.tsx';
import { useAccountChange } from './profile.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Makes new recovery codes and shows them. */
export function RecoveryCodesDialog({
  email,
  opened,
  onClose,
}: {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const renewal = useAccountChange((password: string) =>
    answerOf(api.POST('/profile/second-factor/recovery-codes', { body: { password } })),
  );
  const close = () => {
    onClose();
    renewal.reset();
  };
  const codes = renewal.data?.recoveryCodes;
  const isShown = codes !== undefined;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={isShown ? 'Your recovery codes' : 'Make new recovery codes'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes === undefined ? (
        <PasswordForm
          email={email}
          text="Ten new codes take the place of those that you have: the old ones stop working."
          action="Make new codes"
          mutation={renewal}
          onSubmit={(password) => renewal.mutate(password)}
          onCancel={close}
        />
      ) : (
        <RecoveryCodes codes={codes} email={email} onDone={close} />
      )}
    </Dialog>
  );
}
