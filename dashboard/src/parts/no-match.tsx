import { Button, Center, Stack, Text } from '@mantine/core';

/** In the place of a list in which nothing is as asked for. */
export function NoMatch({ text, onClear }: { readonly text: string; readonly onClear: () => void }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm">
        <Text c="dimmed">{text}</Text>
        <Button variant="default" size="xs" onClick={onClear}>
          Clear the filters
        </Button>
      </Stack>
    </Center>
  );
}
