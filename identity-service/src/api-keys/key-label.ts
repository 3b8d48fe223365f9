import { AppError } from '@platform/service-kit/app-error.ts';

const maxNameLength = 100;
const maxDescriptionLength = 500;

/** The name without blanks around it. @throws AppError unless it is one line of 1 to 100 characters */
export function checkName(candidate: string): string {
  const name = candidate.trim();
  const length = [...name].length;
  if (length < 1 || length > maxNameLength || /\p{Cc}/u.test(name)) {
    throw new AppError(
      'invalid_argument',
      'invalid_name',
      `name must be one line of 1 to ${maxNameLength} characters`,
    );
  }
  return name;
}

/** The description without blanks around it. @throws AppError beyond 500 characters or with a NUL */
export function checkDescription(candidate: string): string {
  const description = candidate.trim();
  if ([...description].length > maxDescriptionLength || description.includes('\0')) {
    throw new AppError(
      'invalid_argument',
      'invalid_description',
      `description must have at most ${maxDescriptionLength} characters`,
    );
  }
  return description;
}
