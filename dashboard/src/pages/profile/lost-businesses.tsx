import { useSession } from '../../shell/session-context.ts';

/** Names the businesses to which a person has no access without a second factor. Renders nothing if there are none. */
export function LostBusinesses() {
  const { businesses } = useSession();
  const names = businesses.filter((each) => each.requiresSecondFactor).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <>
      <strong>
        You lose access to {names.join(', ')}, which {names.length === 1 ? 'requires' : 'require'} a second
        factor, until you have one again.
      </strong>{' '}
    </>
  );
}
