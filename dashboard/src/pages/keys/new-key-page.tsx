import { useSearchParams } from 'wouter';
import { BackLink } from '../../parts/back-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useApiKey } from './api-keys.ts';
import { copyOf, newDraft, restrictedCopyOf } from './key-draft.ts';
import { NewKeyForm } from './new-key-form.tsx';

/** A new key; `?from=key_…` makes it a second one with the same settings, `&restrict` a restricted one. */
export default function NewKeyPage() {
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const description =
    from === null
      ? 'Give each program a key of its own: then you can see what it does, and end it without touching the others.'
      : 'Filled in with the settings of the key you came from. Change what you like.';
  return (
    <>
      <PageHeader
        title={from === null ? 'Create an API key' : 'Create a second key'}
        description={description}
        back={<BackLink href="/developers/keys">API keys</BackLink>}
      />
      {from === null ? (
        <NewKeyForm draft={newDraft} />
      ) : (
        <SecondKeyForm key={from} from={from} restrict={parameters.has('restrict')} />
      )}
    </>
  );
}

function SecondKeyForm({ from, restrict }: { readonly from: string; readonly restrict: boolean }) {
  const query = useApiKey(from);
  return (
    <Loaded query={query}>
      {(key) => <NewKeyForm draft={restrict ? restrictedCopyOf(key, Date.now()) : copyOf(key, Date.now())} />}
    </Loaded>
  );
}
