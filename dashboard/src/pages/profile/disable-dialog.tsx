import { answerOf, api } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { PasswordForm } from './password-form.tsx';
import { useAccountChange } from './profile.ts';

/** Turns the second factor off. */
export function DisableDialog({
  email,
  opened,
  onClose,
}: {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const disabling = useAccountChange((password: string) =>
    answerOf(api.DELETE('/profile/second-factor', { body: { password } })),
  );
  const close = () => {
    onClose();
    disabling.reset();
  };
  return (
    <Dialog opened={opened} onClose={close} title="Turn the second factor off?" closeOnClickOutside={false}>
      <PasswordForm
        email={email}
        text="Your password alone is enough to log in then, also for whoever finds it out. Your recovery codes end."
        action="Turn it off"
        destructive
        mutation={disabling}
        onSubmit={(password) =>
          disabling.mutate(password, {
            onSuccess: () => {
              close();
              toast('The second factor is off.');
            },
          })
        }
        onCancel={close}
      />
    </Dialog>
  );
}
