import { Radio, Stack } from '@mantine/core';
import classes from './business.module.css';
import { allRoles, type Role, roles } from './team.ts';

/** Form field that selects a role, with a line about each. */
export function RoleField({
  onChange,
  ...field
}: {
  readonly value?: Role;
  readonly defaultValue?: Role;
  readonly onChange?: (role: Role) => void;
}) {
  return (
    <Radio.Group
      label="Role"
      required
      {...field}
      onChange={(chosen) => {
        const role = allRoles.find((known) => known === chosen);
        if (role !== undefined) onChange?.(role);
      }}
    >
      <Stack gap="sm" mt="xs">
        {allRoles.map((role) => (
          <Radio key={role} value={role} label={roles[role].name} description={roles[role].description} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

export function RoleName({ role }: { readonly role: Role }) {
  // During a rollout, a replica of another release may return a role that is not known here.
  return <span className={classes.nowrap}>{roles[role]?.name ?? role}</span>;
}
