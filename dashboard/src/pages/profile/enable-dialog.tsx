import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { ConfirmCode } from './confirm-code.tsx';
import { PasswordForm } from './password-form.tsx';
import { type OfferedSecondFactor, useAccountChange } from './profile.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Turns the second factor on in three steps: password, code of the app, recovery codes. */
export function EnableDialog({
  email,
  opened,
  onClose,
}: {
  readonly email: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const [offered, setOffered] = useState<OfferedSecondFactor>();
  const [codes, setCodes] = useState<readonly string[]>();
  const offer = useAccountChange((password: string) =>
    answerOf(api.POST('/profile/second-factor', { body: { password } })),
  );
  const close = () => {
    onClose();
    offer.reset();
    setOffered(undefined);
    setCodes(undefined);
  };
  const isShown = codes !== undefined;
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={isShown ? 'Your recovery codes' : 'Turn the second factor on'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes !== undefined ? (
        <RecoveryCodes
          codes={codes}
          email={email}
          onDone={() => {
            close();
            toast('The second factor is on.');
          }}
        />
      ) : offered !== undefined ? (
        <ConfirmCode offered={offered} onConfirmed={setCodes} onCancel={close} />
      ) : (
        <PasswordForm
          email={email}
          text="First show that it is you."
          action="Continue"
          mutation={offer}
          onSubmit={(password) => offer.mutate(password, { onSuccess: setOffered })}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}
