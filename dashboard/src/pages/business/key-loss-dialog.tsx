import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from '../../components/dialog.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type ApiKey, useApiKeys } from '../keys/api.ts';
import { DeleteKeyDialog, RotateKeyDialog } from '../keys/dialogs.tsx';
import { keyHint } from '../keys/form-values.ts';

/** An act on a key, kept while its dialog closes. */
interface KeyAct {
  readonly act: 'rotate' | 'delete';
  readonly apiKey: ApiKey;
}

/**
 * Confirms that a person loses the right to keys. Lists the keys whose string the person has seen, to rotate or delete; this
 * dialog gives way to theirs, and to the new string.
 */
export function KeyLossDialog({
  personId,
  losesKeys = true,
  opened,
  children,
  ...dialog
}: Omit<ConfirmDialogProps, 'wide'> & {
  readonly personId: string;
  /** Whether the person loses the right; the keys are not listed otherwise. */
  readonly losesKeys?: boolean;
  readonly children: ReactNode;
}) {
  const [keyAct, setKeyAct] = useState<KeyAct>();
  const [step, setStep] = useState<'confirm' | 'string'>();
  const begin = (act: KeyAct['act'], apiKey: ApiKey) => {
    setKeyAct({ act, apiKey });
    setStep('confirm');
  };
  const back = () => setStep(undefined);
  return (
    <>
      <ConfirmDialog {...dialog} wide opened={opened && step === undefined}>
        {children}
        {losesKeys && <SeenKeys personId={personId} onAct={begin} />}
      </ConfirmDialog>
      {keyAct?.act === 'rotate' && (
        <RotateKeyDialog
          key={keyAct.apiKey.id}
          apiKey={keyAct.apiKey}
          opened={step === 'confirm'}
          onClose={back}
          onRotated={() => setStep('string')}
          onStringClosed={back}
        />
      )}
      {keyAct?.act === 'delete' && (
        <DeleteKeyDialog
          key={keyAct.apiKey.id}
          apiKey={keyAct.apiKey}
          opened={step === 'confirm'}
          onClose={back}
          onDeleted={back}
        />
      )}
    </>
  );
}

/** Keys whose present string was shown to a person. */
function SeenKeys({
  personId,
  onAct,
}: {
  readonly personId: string;
  readonly onAct: (act: KeyAct['act'], apiKey: ApiKey) => void;
}) {
  const query = useApiKeys();
  return (
    <Loaded query={query}>
      {({ apiKeys, complete }) => {
        const seen = apiKeys.filter(
          ({ secretSeenBy, status }) => secretSeenBy?.personId === personId && status === 'active',
        );
        return (
          <Stack gap="xs">
            <Text size="sm">
              {seen.length === 0
                ? 'No active API key has a string that was shown to this person.'
                : 'These API keys keep working, and this person has seen their strings. Rotate or delete them:'}
            </Text>
            {seen.length > 0 && (
              <Rows label="Keys that this person has seen" isStacked>
                {seen.map((apiKey) => (
                  <SeenKey key={apiKey.id} apiKey={apiKey} onAct={onAct} />
                ))}
              </Rows>
            )}
            {!complete && (
              <Text size="sm" c="dimmed">
                Only the 1,000 newest keys were searched.
              </Text>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function SeenKey({
  apiKey,
  onAct,
}: {
  readonly apiKey: ApiKey;
  readonly onAct: (act: KeyAct['act'], apiKey: ApiKey) => void;
}) {
  const { name, lastUsedAt } = apiKey;
  return (
    <Row
      end={
        <Group gap="xs" wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            aria-label={`Rotate ${name}`}
            onClick={() => onAct('rotate', apiKey)}
          >
            Rotate
          </Button>
          <Button
            size="xs"
            variant="outline"
            color="red"
            aria-label={`Delete ${name}`}
            onClick={() => onAct('delete', apiKey)}
          >
            Delete
          </Button>
        </Group>
      }
    >
      <Text size="sm" fw={600} lineClamp={2}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        <Code fz="xs">{keyHint(apiKey)}</Code> · last used <Timestamp at={lastUsedAt} absent="never" />
      </Text>
    </Row>
  );
}
