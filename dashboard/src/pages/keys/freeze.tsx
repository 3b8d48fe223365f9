import { Alert, Button, List, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ChangeDialog } from '../../components/change-dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness, useMayChange } from '../../shell/session-context.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import { type ApiKeyDetail, useBlastRadiusInDialog, useRefreshApiKeys } from './api.ts';
import { BlastRadiusPreview } from './blast-radius.tsx';
import classes from './keys.module.css';

/** Shows that a key is frozen, by which person and why, and what to do. */
export function FrozenKeyAlert({ apiKey: { freeze } }: { readonly apiKey: ApiKeyDetail }) {
  const mayChange = useMayChange();
  if (freeze === null) return null;
  const { frozenAt, frozenBy, reason } = freeze;
  return (
    <Alert color="red" icon={<IconSnowflake />} role="status" title="This key is frozen">
      <Text size="sm">
        Every request with it is refused with status 403. Frozen <Timestamp at={frozenAt} /> by{' '}
        {frozenBy === null ? 'the platform' : frozenBy.name || 'a deleted account'}.
      </Text>
      {reason !== '' && (
        <Text size="sm" mt={4} className={classes.reason ?? ''}>
          Reason: {reason}
        </Text>
      )}
      {mayChange && (
        <Text size="sm" mt={4}>
          If others may have the key string, rotate the key, give your program the new string, then lift the
          freeze. If no program needs the key, delete it.
        </Text>
      )}
    </Alert>
  );
}

/** Freezes a key, and lifts its freeze. */
export function FreezeKeyPanel({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { id: apiKeyId, name } = apiKey;
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  // Not derived from the freeze, which changes while the dialog is still closing.
  const [openDialog, setOpenDialog] = useState<'freeze' | 'lift'>();
  const radius = useBlastRadiusInDialog(apiKeyId, { opened: openDialog === 'freeze' });
  const params = { path: { businessId, apiKeyId } };
  const path = '/businesses/{businessId}/api-keys/{apiKeyId}/freeze';
  const isFrozen = apiKey.freeze !== null;
  const dialogProps = (dialog: typeof openDialog) => ({
    opened: openDialog === dialog,
    onClose: () => setOpenDialog(undefined),
  });
  return (
    <Panel
      title="Freeze"
      description={
        isFrozen
          ? 'Lift the freeze to let the same key string work again.'
          : 'Refuses every request with this key for a time, for example while you look into a leak. Nothing is deleted.'
      }
      actions={
        <Button variant="default" onClick={() => setOpenDialog(isFrozen ? 'lift' : 'freeze')}>
          {isFrozen ? 'Lift the freeze' : 'Freeze key'}
        </Button>
      }
    >
      <ChangeDialog
        title={`Freeze “${name}”?`}
        action="Freeze key"
        destructive
        {...dialogProps('freeze')}
        reasonHint="Your team can see who froze the key and why, here and in the audit log."
        change={async (reason) => {
          const { propagation } = await unwrap(api.PUT(path, { params, body: { reason } }));
          await refresh();
          toast(`“${name}” frozen.`);
          return propagation;
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>
            <strong>Every request with this key is refused at once</strong> with status 403. Other keys and
            apps keep working.
          </List.Item>
          <List.Item>
            The key keeps its string, permissions and limit. If you rotate it, it stays frozen.
          </List.Item>
          <List.Item>You can lift the freeze at any time.</List.Item>
        </List>
        <BlastRadiusPreview query={radius} />
        <ForecastPanel forecasted={{ apiKeyId, change: { frozen: true } }} />
      </ChangeDialog>
      <ChangeDialog
        title={`Lift the freeze of “${name}”?`}
        action="Lift the freeze"
        {...dialogProps('lift')}
        change={async () => {
          const { propagation } = await unwrap(api.DELETE(path, { params }));
          await refresh();
          toast('Freeze lifted.');
          return propagation;
        }}
      >
        <Text size="sm">
          The same key string works again. If it may have been stolen, rotate or delete the key first.
        </Text>
      </ChangeDialog>
    </Panel>
  );
}
