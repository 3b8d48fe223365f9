import { Button, Text } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { addressFor, codeOf, type Pairing } from './pairing.ts';

/** A value that takes a moment to compute; undefined until then, and where it cannot be. */
function useComputed(compute: () => Promise<string>, of: unknown): string | undefined {
  const [value, setValue] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is a new one each time
  useEffect(() => {
    compute().then(setValue, () => setValue(undefined));
  }, [of]);
  return value;
}

/** The code of the program that asks for a key. */
export function PairingCode({ pairing }: { readonly pairing: Pairing }) {
  const code = useComputed(() => codeOf(pairing), pairing);
  if (code === undefined) return null;
  return (
    <Text size="sm" mb="lg">
      Its terminal shows the code <strong>{code}</strong>. If it does not, this link is not from your program:
      close this page.
    </Text>
  );
}

/** Hands the new key to the program. */
export function SendToProgram({ pairing, secret }: { readonly pairing: Pairing; readonly secret: string }) {
  const address = useComputed(() => addressFor(pairing, secret), secret);
  if (address === undefined) return null;
  return (
    <Button
      component="a"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      leftSection={<IconDeviceDesktop size={18} aria-hidden />}
    >
      Send it to the program
    </Button>
  );
}
