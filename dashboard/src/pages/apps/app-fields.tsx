import { Code, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScopeChoice } from '../../parts/scope-choice.tsx';
import { ListEditor } from './list-editor.tsx';
import type { AppForm } from './use-app-form.ts';
import { WebhooksField } from './webhooks-field.tsx';
import { WhitelistField } from './whitelist-field.tsx';

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
      <ScopeChoice description={scopesHint} {...fields.getInputProps('scopes')} />
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
