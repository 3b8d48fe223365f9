import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { CopyField } from '../../components/copy.tsx';
import { useFocusOnError, useFocusOnMount } from '../../components/hooks.ts';
import { ErrorAlert } from '../../components/states.tsx';
import { useStayDuring } from '../../components/stay.ts';
import classes from './profile.module.css';
import { type OfferedSecondFactor, useAccountChange } from './profile.ts';

/** Shows the secret for the authenticator app and verifies its first code. */
export function ConfirmCode({
  offered: { secret, qr },
  onConfirmed,
  onCancel,
}: {
  readonly offered: OfferedSecondFactor;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const [code, setCode] = useState('');
  const field = useFocusOnMount<HTMLInputElement>();
  const confirmation = useAccountChange(() =>
    unwrap(api.POST('/profile/second-factor/confirm', { body: { code } })),
  );
  useStayDuring(confirmation.isPending);
  const form = useFocusOnError(confirmation.error);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        confirmation.mutate(undefined, { onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes) });
      }}
    >
      <Stack gap="md">
        <Text size="sm">Scan this with the authenticator app on your phone.</Text>
        <svg
          className={classes.qr}
          role="img"
          aria-label="QR code for the authenticator app"
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          shapeRendering="crispEdges"
        >
          <path fill="#000000" d={qr.path} />
        </svg>
        <CopyField label="Or type this key into the app" value={inGroupsOfFour(secret)} what="the key" />
        <TextInput
          label="Code from the app"
          description="Six digits."
          required
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={confirmation.error === null ? undefined : fieldErrors(confirmation.error).code}
          ref={field}
        />
        <ErrorAlert error={confirmation.error} shown={['code']} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={confirmation.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={confirmation.isPending}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Groups of four characters, as authenticator apps show them. */
function inGroupsOfFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
