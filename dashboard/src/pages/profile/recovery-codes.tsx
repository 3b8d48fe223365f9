import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useFocusOnMount } from '../../components/hooks.ts';
import { saveFile } from '../../components/save-file.ts';
import { useStay, useStayDuring } from '../../components/stay.ts';
import { confirmed, type Entered } from './confirmation.ts';
import { ConfirmForm } from './password.tsx';
import classes from './profile.module.css';
import { type Profile, useAccountChange } from './profile.ts';

/** Text file with the recovery codes. */
function recoveryFile(codes: readonly string[], email: string): string {
  const head = [
    'Recovery codes for Business API',
    `Account: ${email}`,
    '',
    'Each code can be used once instead of a code from the authenticator app.',
    'New codes replace these.',
    '',
  ];
  return `${[...head, ...codes].join('\n')}\n`;
}

/** Shows new recovery codes once. */
export function RecoveryCodes({
  codes,
  email,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly email: string;
  readonly onDone: () => void;
}) {
  const [isStored, setStored] = useState(false);
  const notice = useFocusOnMount<HTMLDivElement>();
  useStay(true);
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconEyeOff />} p="sm" tabIndex={-1} ref={notice}>
        These codes are shown only once. Store them where you can reach them without your phone.
      </Alert>
      <Text size="sm">
        If you lose your phone, each code can be used once instead of a code from the app.
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton value={codes.join('\n')} what="the codes" label="Copy" />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => download(recoveryFile(codes, email))}
        >
          Download
        </Button>
      </Group>
      <Checkbox
        label="I have stored them"
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Button onClick={onDone} disabled={!isStored}>
        Done
      </Button>
    </Stack>
  );
}

function download(text: string): void {
  saveFile(new Blob([text], { type: 'text/plain' }), 'business-api-recovery-codes.txt');
}

export interface ProfileDialogProps {
  readonly profile: Profile;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates new recovery codes and shows them. */
export function RecoveryCodesDialog({ profile, opened, onClose }: ProfileDialogProps) {
  const renewal = useAccountChange(async (entered: Entered) =>
    unwrap(api.POST('/profile/second-factor/recovery-codes', { body: await confirmed(profile, entered) })),
  );
  useStayDuring(renewal.isPending);
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
      title={isShown ? 'Your recovery codes' : 'Create new recovery codes'}
      closeOnClickOutside={false}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {codes === undefined ? (
        <ConfirmForm
          profile={profile}
          text="Ten new codes replace your current ones, which stop working."
          action="Create new codes"
          mutation={renewal}
          onDone={() => undefined}
          onCancel={close}
        />
      ) : (
        <RecoveryCodes codes={codes} email={profile.email} onDone={close} />
      )}
    </Dialog>
  );
}
