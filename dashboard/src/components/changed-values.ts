/**
 * The fields of a form that the person has changed. Others are not sent, so that concurrent changes of them survive.
 * @param initial values with which the form began, not what the server has by now
 */
export function changedValues<Values extends object>(initial: Values, values: Values): Partial<Values> {
  const changed: Partial<Values> = { ...values };
  for (const field of Object.keys(values) as (keyof Values)[]) {
    if (JSON.stringify(values[field]) === JSON.stringify(initial[field])) delete changed[field];
  }
  return changed;
}

/**
 * The values of a form after a save: what is stored, and what the person has typed since.
 * @param sent values of the form when the save began
 */
export const savedValues = <Values extends object>(stored: Values, sent: Values, values: Values): Values => ({
  ...stored,
  ...changedValues(sent, values),
});
