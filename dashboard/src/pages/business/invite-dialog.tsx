import { Dialog } from '../../parts/dialog.tsx';
import { InviteForm } from './invite-form.tsx';

/** Asks somebody to join the business. */
export function InviteDialog({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Invite somebody" closeOnClickOutside={false}>
      <InviteForm onDone={onClose} />
    </Dialog>
  );
}
