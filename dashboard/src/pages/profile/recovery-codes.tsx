import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFocusOnMount } from '../../parts/use-focus-on-mount.ts';
import classes from './profile.module.css';
import { recoveryFile } from './recovery-file.ts';

/** Shows recovery codes for the first and last time. */
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
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconEyeOff />} p="sm" tabIndex={-1} ref={notice}>
        These are shown once. Store them where you find them without your phone.
      </Alert>
      <Text size="sm">Each of them replaces a code of the app once, should your phone be lost.</Text>
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
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'business-api-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
}
