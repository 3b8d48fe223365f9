import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconPhotoUp, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
import { CopyButton } from '../../components/copy.tsx';
import { LogoImage } from '../../components/logo-image.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import type { BusinessRecord } from './business.ts';
import { useSetLogo } from './record-changes.ts';

/** The logo, with the buttons to change it for those who may. */
export function Logo({
  record: { logo, accountHolder },
  mayChange,
}: {
  readonly record: BusinessRecord;
  readonly mayChange: boolean;
}) {
  return (
    <Stack gap="xs" align="flex-start">
      {logo === null ? (
        <Text span inherit c="dimmed">
          None
        </Text>
      ) : (
        <Group gap="xs" align="center">
          <LogoImage logo={logo} name={accountHolder} />
          <CopyButton value={logo} what="the logo URL" />
        </Group>
      )}
      {mayChange && <ChangeLogo hasLogo={logo !== null} />}
    </Stack>
  );
}

function ChangeLogo({ hasLogo }: { readonly hasLogo: boolean }) {
  const change = useSetLogo();
  const resetInput = useRef<() => void>(null);
  const set = (file: File | null) =>
    change.mutate(file, { onSuccess: () => toast(file === null ? 'Logo removed.' : 'Logo changed.') });
  const choose = (file: File | null) => {
    // Reset, because browsers fire no change event when the same file is chosen again, after an error or an edit of it.
    resetInput.current?.();
    if (file !== null) set(file);
  };
  return (
    <>
      <Group gap="xs">
        <FileButton accept="image/png,image/jpeg,image/webp" resetRef={resetInput} onChange={choose}>
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant="default"
              leftSection={<IconPhotoUp size={14} aria-hidden />}
              loading={change.isPending}
            >
              {hasLogo ? 'Change the logo' : 'Add a logo'}
            </Button>
          )}
        </FileButton>
        {hasLogo && (
          <Button
            size="xs"
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            disabled={change.isPending}
            onClick={() => set(null)}
          >
            Remove the logo
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        PNG, JPEG or WebP. It is scaled to 512 × 512 pixels, and its metadata is removed.
      </Text>
      <ErrorAlert error={change.error} />
    </>
  );
}
