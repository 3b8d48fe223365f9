import { Dialog } from '../../parts/dialog.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import { EditKeyForm } from './edit-key-form.tsx';

/** Changes what may be changed of a key. */
export function EditKeyDialog({
  apiKey,
  opened,
  onClose,
}: {
  readonly apiKey: ApiKeyDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Edit key" size="lg" closeOnClickOutside={false}>
      <EditKeyForm apiKey={apiKey} onDone={onClose} />
    </Dialog>
  );
}
