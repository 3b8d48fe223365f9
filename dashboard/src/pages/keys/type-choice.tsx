import { Badge, Group, Radio, SimpleGrid, Text } from '@mantine/core';
import { keyTypes } from './draft.ts';
import classes from './keys.module.css';

/** Chooses between the two types of key. */
export function TypeChoice(field: {
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly error?: React.ReactNode;
}) {
  return (
    <Radio.Group label="Type" description="The type cannot be changed later." required {...field}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {keyTypes.map(({ type, label, short, explanation }) => (
          <Radio.Card
            key={type}
            value={type}
            className={classes.choice ?? ''}
            aria-label={`${label}. ${short}`}
          >
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator />
              <div>
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    {label}
                  </Text>
                  {type === 'restricted' && (
                    <Badge variant="light" size="sm" radius="sm" tt="none">
                      Recommended
                    </Badge>
                  )}
                </Group>
                <Text size="sm" mt={4}>
                  {short}
                </Text>
                <Text size="sm" c="dimmed" mt={4}>
                  {explanation}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
