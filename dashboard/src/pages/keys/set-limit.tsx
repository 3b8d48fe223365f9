import { Anchor, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { formatNumber, readCount } from '../../components/format.ts';
import { ForecastPanel } from '../forecasts/forecast-panel.tsx';
import type { ApiKeyDetail } from './api.ts';
import { useSetLimit } from './mutations.ts';

/** Lets owners lower the limit of a key, and raise it again up to the granted limit. */
export function SetLimit({
  apiKey: { id, name, rollingHour, grantedLimit },
}: {
  readonly apiKey: ApiKeyDetail;
}) {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState('');
  const setting = useSetLimit(id);
  const close = () => {
    setOpened(false);
    setting.reset();
  };
  const wantedLimit = readCount(wanted);
  const verb = rollingHour.limit < grantedLimit ? 'Change' : 'Lower';
  const error = setting.error === null ? undefined : fieldErrors(setting.error).limit;
  return (
    <>
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => {
          setWanted(String(rollingHour.limit));
          setOpened(true);
        }}
      >
        {verb} the limit
      </Anchor>
      <ConfirmDialog
        title={`${verb} the limit of “${name}”?`}
        action="Set the limit"
        opened={opened}
        onClose={close}
        mutation={error === undefined ? setting : { ...setting, error: null }}
        onConfirm={() => setting.mutate(readCount(wanted), { onSuccess: close })}
      >
        <TextInput
          label="Requests in any hour"
          description={`Up to ${formatNumber(grantedLimit)}, which is what this key was granted. Takes effect immediately.`}
          required
          inputMode="numeric"
          autoComplete="off"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          error={error}
          data-autofocus
        />
        {wantedLimit >= 1 && wantedLimit < rollingHour.limit && (
          <ForecastPanel forecasted={{ apiKeyId: id, limit: wantedLimit }} />
        )}
      </ConfirmDialog>
    </>
  );
}
