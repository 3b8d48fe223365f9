import { PasswordInput, type PasswordInputProps } from '@mantine/core';

const toggle = { 'aria-label': 'Show the password' };

/** A password, which can be looked at. Says to assistive technology when it is not right, which Mantine's own does not. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      required
      visibilityToggleFocusable
      visibilityToggleButtonProps={toggle}
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  );
}
