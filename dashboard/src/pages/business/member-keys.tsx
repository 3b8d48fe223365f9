import { Code, Switch } from '@mantine/core';
import { api, unwrap } from '../../api/client.ts';
import { ScopeField } from '../../components/scopes.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type MemberKeyRules, rulesChange, useMemberKeyRules } from '../keys/member-rules.ts';
import { SettingPanel } from './setting-panel.tsx';

/** Which API keys developers can create. */
export function MemberKeysPanel() {
  const { id: businessId } = useBusiness();
  return (
    <SettingPanel<MemberKeyRules>
      title="API keys of developers"
      description="Which keys developers can create and rotate. Existing keys stay as they are."
      query={useMemberKeyRules()}
      queryKey="member-key-rules"
      save={(rules, initial) => {
        const request = { params: { path: { businessId } }, body: rulesChange(initial, rules) };
        return unwrap(api.PATCH('/businesses/{businessId}/member-key-rules', request));
      }}
      text={(rules) => <RulesText rules={rules} />}
    >
      {({ secretKeys, scopes }, change) => (
        <>
          <Switch
            size="md"
            label="Developers can create secret keys"
            description="A secret key can do everything that the API offers for your business."
            checked={secretKeys}
            onChange={(event) => change({ secretKeys: event.currentTarget.checked })}
          />
          {!secretKeys && (
            <ScopeField
              isRequired={false}
              description="Developers can create restricted keys with the permissions that you select. If you select none, only owners can create keys."
              value={scopes}
              onChange={(selected) => change({ scopes: selected as MemberKeyRules['scopes'] })}
            />
          )}
        </>
      )}
    </SettingPanel>
  );
}

function RulesText({ rules: { secretKeys, scopes } }: { readonly rules: MemberKeyRules }) {
  if (secretKeys) return 'Developers can create secret keys and restricted keys.';
  if (scopes.length === 0) return 'Only owners can create keys.';
  return (
    <>
      Developers can create restricted keys with{' '}
      {scopes.map((scope, index) => (
        <span key={scope}>
          {index > 0 && ', '}
          <Code fz="xs">{scope}</Code>
        </span>
      ))}
      .
    </>
  );
}
