import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useBlastRadius } from './api-keys.ts';
import { BlastRadiusView } from './blast-radius-view.tsx';

/** What uses a key lately. */
export function KeyPlaces({ apiKeyId }: { readonly apiKeyId: string }) {
  const query = useBlastRadius(apiKeyId, { watch: true });
  return (
    <Panel title="What uses it">
      <Loaded query={query}>{(radius) => <BlastRadiusView radius={radius} maxPlaces={6} />}</Loaded>
    </Panel>
  );
}
