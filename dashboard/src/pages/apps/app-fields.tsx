import { Code, Stack, Switch, type SwitchProps, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useId } from 'react';
import { ScopeField } from '../../components/scopes.tsx';
import { WebhookEventsField } from '../../components/webhook-events.tsx';
import type { AppForm } from './app-form.ts';
import classes from './apps.module.css';
import type { AppFormValues, RowField } from './form-values.ts';
import { ListField } from './list-field.tsx';
import { AddressHint, WhitelistField } from './whitelist.tsx';

/** A switch with its explanation below. */
function ExplainedSwitch({ label, children, ...props }: SwitchProps & { readonly children: ReactNode }) {
  const hint = useId();
  return (
    <div>
      <Switch
        label={
          <Text span inherit fw={600}>
            {label}
          </Text>
        }
        aria-describedby={hint}
        {...props}
      />
      <Text id={hint} size="xs" c="dimmed" mt={2} className={classes.switchHint ?? ''}>
        {children}
      </Text>
    </div>
  );
}

/** Turns webhooks on and selects their events. */
function WebhooksField({ fields }: { readonly fields: UseFormReturnType<AppFormValues> }) {
  return (
    <Stack gap="sm">
      <ExplainedSwitch label="Webhooks" {...fields.getInputProps('webhooksEnabled', { type: 'checkbox' })}>
        Optional. Select the events that your app needs. They are sent to the endpoints under Webhooks.
      </ExplainedSwitch>
      {fields.values.webhooksEnabled && (
        <WebhookEventsField
          ofApp
          held={fields.getInitialValues().webhookEvents}
          label="Events"
          className={classes.events ?? ''}
          {...fields.getInputProps('webhookEvents')}
        />
      )}
    </Stack>
  );
}

const maxRedirectUris = 10;

const maxAllowedOrigins = 10;

/** The controls of all app settings. */
export function AppFields({
  form: { fields, rowErrors },
  applicationId,
  scopesHint,
}: {
  readonly form: AppForm;
  /** Undefined for a new app. */
  readonly applicationId?: string;
  /** Effect of changing the permissions. */
  readonly scopesHint: ReactNode;
}) {
  const listProps = (field: RowField) => ({
    rows: fields.values[field],
    rowErrors: rowErrors.get(field),
    error: fields.errors[field],
    onChange: (rows: string[]) => fields.setFieldValue(field, rows),
  });
  return (
    <Stack gap="xl">
      <TextInput
        label="Name"
        description="Shown to businesses when they connect your app."
        required
        autoComplete="off"
        {...fields.getInputProps('name')}
      />
      <Textarea
        label="Description"
        description="What your app does for a business. Shown next to the name."
        required
        autosize
        minRows={2}
        {...fields.getInputProps('description')}
      />
      <ListField
        label="Redirect URIs"
        description={<RedirectUriHint />}
        rowLabel="Redirect URI"
        placeholder="https://app.example.com/oauth/callback"
        required
        max={maxRedirectUris}
        {...listProps('redirectUris')}
      />
      <ScopeField description={scopesHint} {...fields.getInputProps('scopes')} />
      <WhitelistField
        owner={applicationId === undefined ? undefined : { applicationId }}
        user="your app"
        description={
          <>
            The addresses of your servers. Requests from any other address are refused, even with a valid
            token. <AddressHint />
          </>
        }
        required
        {...listProps('ipWhitelist')}
      />
      <ListField
        label="Allowed origins"
        description={<OriginHint />}
        rowLabel="Allowed origin"
        placeholder="https://tool.example.com"
        max={maxAllowedOrigins}
        {...listProps('allowedOrigins')}
      />
      <WebhooksField fields={fields} />
      <ExplainedSwitch
        label="Repeat a lost refresh"
        {...fields.getInputProps('repeatLostRefresh', { type: 'checkbox' })}
      >
        Optional. When the response to a refresh is lost, your app can send the same request again within a
        minute and gets the same tokens, instead of asking the business to connect again. For that minute,
        someone who has stolen a refresh token, the client secret and access to a whitelisted address gets
        them, too.
      </ExplainedSwitch>
    </Stack>
  );
}

function OriginHint() {
  return (
    <>
      Optional. Needed only when a browser page calls the API directly with an access token from your server
      (CORS). Enter scheme, host and port, such as <Code fz="xs">https://tool.example.com</Code>, without a
      path. Plain http is allowed on your own machine only. The IP whitelist applies to these requests, too.
    </>
  );
}

function RedirectUriHint() {
  return (
    <>
      Where people return after connecting your app. Use https; plain http is allowed on your own machine only
      (<Code fz="xs">localhost</Code>, <Code fz="xs">127.0.0.1</Code>, <Code fz="xs">[::1]</Code>), on any
      port. The URI must match exactly: no wildcards, no <Code fz="xs">#</Code> fragment.
    </>
  );
}
