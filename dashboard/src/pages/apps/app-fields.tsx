import { Checkbox, Code, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useId } from 'react';
import { ScopeField } from '../../components/scopes.tsx';
import { webhookEvents } from './api.ts';
import type { AppForm } from './app-form.ts';
import classes from './apps.module.css';
import type { AppFormValues } from './form-values.ts';
import { ListEditor } from './list-field.tsx';
import { WhitelistField } from './whitelist.tsx';

/** Asks which events an app wants to hear of. What is chosen is stored; delivering them is another matter. */
function WebhooksField({ fields }: { readonly fields: UseFormReturnType<AppFormValues> }) {
  const hint = useId();
  return (
    <Stack gap="sm">
      <div>
        <Switch
          label={
            <Text span inherit fw={600}>
              Webhooks
            </Text>
          }
          aria-describedby={hint}
          {...fields.getInputProps('webhooksEnabled', { type: 'checkbox' })}
        />
        <Text id={hint} size="xs" c="dimmed" mt={2} className={classes.besideSwitch ?? ''}>
          Optional. Choose the events your app wants to hear of. They are not delivered yet: your choice is
          stored for when they are.
        </Text>
      </div>
      {fields.values.webhooksEnabled && (
        <Checkbox.Group
          label="Events"
          className={classes.events ?? ''}
          {...fields.getInputProps('webhookEvents')}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
            {webhookEvents.map(({ about, events }) => (
              <Stack key={about} gap="sm">
                <Text size="sm" c="dimmed">
                  {about}
                </Text>
                {events.map(({ event, words }) => (
                  <Checkbox
                    key={event}
                    value={event}
                    label={words}
                    description={<Code fz="xs">{event}</Code>}
                  />
                ))}
              </Stack>
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

const maxRedirectUris = 10;

const maxAllowedOrigins = 10;

/** Everything that is decided about an app. */
export function AppFields({
  form: { fields, redirectFaults, whitelistFaults, originFaults },
  applicationId,
  scopesHint,
}: {
  readonly form: AppForm;
  /** Undefined for an app that is still to be registered. */
  readonly applicationId?: string;
  /** What a change of permissions does. */
  readonly scopesHint: ReactNode;
}) {
  return (
    <Stack gap="xl">
      <TextInput
        label="Name"
        description="Businesses see it when they are asked to connect your app."
        required
        autoComplete="off"
        {...fields.getInputProps('name')}
      />
      <Textarea
        label="Description"
        description="What your app does for a business. They see it next to the name."
        required
        autosize
        minRows={2}
        {...fields.getInputProps('description')}
      />
      <ListEditor
        label="Redirect URIs"
        description={<RedirectRules />}
        entry="Redirect URI"
        placeholder="https://app.example.com/oauth/callback"
        rows={fields.values.redirectUris}
        faults={redirectFaults}
        error={fields.errors.redirectUris}
        max={maxRedirectUris}
        onChange={(rows) => fields.setFieldValue('redirectUris', rows)}
      />
      <ScopeField description={scopesHint} {...fields.getInputProps('scopes')} />
      <WhitelistField
        applicationId={applicationId}
        rows={fields.values.ipWhitelist}
        faults={whitelistFaults}
        error={fields.errors.ipWhitelist}
        onChange={(rows) => fields.setFieldValue('ipWhitelist', rows)}
      />
      <ListEditor
        label="Allowed origins"
        description={<OriginRules />}
        entry="Allowed origin"
        placeholder="https://tool.example.com"
        rows={fields.values.allowedOrigins}
        faults={originFaults}
        error={fields.errors.allowedOrigins}
        max={maxAllowedOrigins}
        onChange={(rows) => fields.setFieldValue('allowedOrigins', rows)}
      />
      <WebhooksField fields={fields} />
    </Stack>
  );
}

function OriginRules() {
  return (
    <>
      Leave it empty, unless a page in a browser calls the API itself, with an access token that your server
      gave it (CORS). Scheme, host and port as in <Code fz="xs">https://tool.example.com</Code>, without a
      path; plain http on your own machine alone. The IP whitelist counts for such calls, too.
    </>
  );
}

function RedirectRules() {
  return (
    <>
      Where people come back to after they have connected your app. Use https; plain http is for your own
      machine (<Code fz="xs">localhost</Code>, <Code fz="xs">127.0.0.1</Code>, <Code fz="xs">[::1]</Code>), at
      any port. Addresses are compared letter by letter: no wildcards, no part after a <Code fz="xs">#</Code>.
    </>
  );
}
