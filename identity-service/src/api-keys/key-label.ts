import { AppError } from '@platform/service-kit/app-error.ts';

const maxDescriptionLength = 500;

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
