import { AppError } from '@platform/service-kit/app-error.ts';
import { bidiControls } from '../name.ts';

const maxDescriptionLength = 500;

/** The description without blanks around it. @throws AppError unless it has 1 to 500 characters */
export function checkDescription(candidate: string): string {
  const description = candidate.trim();
  const length = [...description].length;
  const controls = /[^\P{Cc}\n\r\t]/u;
  if (
    length < 1 ||
    length > maxDescriptionLength ||
    controls.test(description) ||
    bidiControls.test(description)
  ) {
    throw new AppError(
      'invalid_argument',
      'invalid_description',
      `description must have 1 to ${maxDescriptionLength} characters`,
    );
  }
  return description;
}
