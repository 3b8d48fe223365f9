import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Profile } from './profile.ts';

/** Who it is. */
export function PersonPanel({ profile: { name, email } }: { readonly profile: Profile }) {
  return (
    <Panel title="You" description="The others in your teams see this.">
      <Facts
        facts={[
          ['Name', name],
          ['Email address', email],
        ]}
      />
    </Panel>
  );
}
